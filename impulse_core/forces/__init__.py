"""What acts on bodies and along free axes: loads, springs, dampers, motors, friction, limits."""
