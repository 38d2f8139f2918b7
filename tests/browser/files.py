"""Downloaded files, read in the browser or by a library."""

import base64
from pathlib import Path

DURATION = """
(content) => new Promise((resolve, reject) => {
  const video = document.createElement("video");
  video.onloadedmetadata = () => resolve(video.duration);
  video.onerror = () => reject(new Error(video.error.message));
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  video.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
})
"""


def mp4_seconds(page, download):
    """Return the duration of a downloaded MP4 file as the browser plays it, s."""
    player = page.context.new_page()  # the page itself does not allow media
    return player.evaluate(DURATION, base64.b64encode(Path(download.path()).read_bytes()).decode())
