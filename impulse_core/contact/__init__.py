"""What bodies that touch do to each other: impact, rest, friction."""
