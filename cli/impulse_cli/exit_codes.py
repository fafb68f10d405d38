"""Exit codes of ``impulse``; 2, for wrong usage, is click's own."""

GOOD = 0
WRONG_INPUT = 1
SIMULATION_FAILED = 3
INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
CLOSED_PIPE = 141  # 128 + SIGPIPE: nobody reads on, as after "| head"
