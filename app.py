"""Front door: `python app.py` opens vitviz; a Hugging Face Space imports `demo` from here."""

import os

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # must be set before Gradio is imported

from vitviz.ui.app import build_app, serve

demo = build_app()

if __name__ == "__main__":
    serve(demo)
