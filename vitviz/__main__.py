"""Entry point of `python -m vitviz`, the same as the command `vitviz`."""

from vitviz.cli import main

main()
