"""The page of ``impulse view``: a scene that is simulated, or a recording that plays."""
