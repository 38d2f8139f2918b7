"""Images and arrays as text, for JSON and HTML."""

import base64
import io
from typing import Any

from numpy.typing import NDArray
from PIL import Image


def data_url(image: Image.Image) -> str:
    """Encode an image as PNG in a data URL."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def to_base64(array: NDArray[Any]) -> str:
    """Encode an array's bytes, in C order."""
    return base64.b64encode(array.tobytes()).decode()
