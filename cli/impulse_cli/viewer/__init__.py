"""The page of ``impulse view``: a scene that simulates, or a recording that plays, in the browser."""
