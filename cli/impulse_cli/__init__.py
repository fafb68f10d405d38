"""The command line: each command parses its arguments, calls the public Python API, prints."""
