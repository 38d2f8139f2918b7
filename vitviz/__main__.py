"""`python -m vitviz` is the command `vitviz`."""

from vitviz.cli import main

main()
