"""``python -m svsieve`` is the command ``svsieve``."""

from svsieve.cli import main

main()
