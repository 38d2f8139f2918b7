"""Front door: `python app.py` opens vitviz; a Hugging Face Space runs it too."""

import sys

from vitviz.cli import calm_libraries, plain_warnings

calm_libraries()

from vitviz.ui.app import build_app, serve  # noqa: E402

plain_warnings()
try:
    demo = build_app()
    if __name__ == "__main__":
        serve(demo)
except ValueError as error:
    sys.exit(f"vitviz: {error}")
