"""The live session: a machine that simulates in its own thread while others watch and command."""
