"""Downloaded files, read in the browser or by a library."""

import base64
from pathlib import Path

DURATION = """
(content) => new Promise((resolve, reject) => {
  const video = document.createElement("video");
  video.onloadedmetadata = () => resolve(video.duration);
  video.onerror = () => reject(new Error(video.error.message));
  video.src = "data:video/mp4;base64," + content;
})
"""


def mp4_seconds(page, download):
    """Return the duration of a downloaded MP4 file as the browser plays it, s."""
    return page.evaluate(DURATION, base64.b64encode(Path(download.path()).read_bytes()).decode())
