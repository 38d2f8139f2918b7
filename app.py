"""Front door: `python app.py` opens vitviz; a Hugging Face Space runs it too. It takes no options."""

import sys

from vitviz.cli import plain_warnings, quiet_libraries
from vitviz.runs.process import format_error

quiet_libraries()
plain_warnings()
try:
    if __name__ == "__main__" and (words := sys.argv[1:]):
        raise ValueError(f"app.py takes no options: got {' '.join(words)}. Use: python -m vitviz app")
    from vitviz.webapp.app import build_app, serve

    demo = build_app()
    if __name__ == "__main__":
        serve(demo)
except (ValueError, OSError) as error:
    sys.exit(f"vitviz: {format_error(error)}")
except KeyboardInterrupt:
    sys.exit(130)  # as a shell counts it
