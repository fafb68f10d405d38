"""Contact response: impact, rest, friction."""
