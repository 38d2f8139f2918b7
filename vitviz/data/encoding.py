"""Images and arrays as text, for JSON and HTML."""

import base64
import io
from typing import Any, Literal

from numpy.typing import NDArray
from PIL import Image


def data_url(image: Image.Image, form: Literal["png", "jpeg"] = "png") -> str:
    """Encode an image in a data URL; PNG is lossless, JPEG is smaller for photographs."""
    buffer = io.BytesIO()
    image.save(buffer, form)
    return f"data:image/{form};base64,{base64.b64encode(buffer.getvalue()).decode()}"


def to_base64(array: NDArray[Any]) -> str:
    """Encode an array's bytes, in C order."""
    return base64.b64encode(array.tobytes()).decode()
