"""``python -m impulse_cli`` is ``impulse``."""

from impulse_cli.main import main

main()
