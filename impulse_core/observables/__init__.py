"""What a state shows: energy, momenta, accelerations, reactions of joints."""
