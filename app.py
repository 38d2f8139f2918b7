"""Front door: `python app.py` opens vitviz; a Hugging Face Space runs it too."""

import os
import sys

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # must be set before Gradio is imported

from vitviz.cli import plain_warnings
from vitviz.ui.app import build_app, serve

plain_warnings()
try:
    demo = build_app()
    if __name__ == "__main__":
        serve(demo)
except ValueError as error:
    sys.exit(f"vitviz: {error}")
