"""``python -m svsieve.cli`` is the command ``svsieve``."""

from svsieve.cli import main

main()
