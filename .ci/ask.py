"""Wait until the page is served, request an explanation over HTTP and check the response.

Arguments: the server's log, which contains its address, and its process number.
"""

import os
import re
import sys
import time
from pathlib import Path

from gradio_client import Client

TIMEOUT = 300  # seconds


def wait_for_address(log: Path, pid: int) -> str:
    """Wait until the server prints its address, and return it."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        os.kill(pid, 0)  # raises if the server has exited
        if found := re.search(r"vitviz is at (http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.1)
    raise SystemExit("The server printed no address.")


def main() -> None:
    """Request the explanation of a sample image."""
    client = Client(wait_for_address(Path(sys.argv[1]), int(sys.argv[2])), verbose=False)
    response = client.predict("cat", "cifar10-ti4", "rollout", api_name="/explain")
    probabilities = response["probabilities"]
    assert abs(sum(probabilities.values()) - 1) < 1e-5, response
    assert [len(row) for row in response["map"]] == [8] * 8, response
    top = max(probabilities, key=probabilities.__getitem__)
    print(f"The page explained an image: {top}, {100 * probabilities[top]:.1f} %")


if __name__ == "__main__":
    main()
