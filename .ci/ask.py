"""Wait until the page answers, have it explain an image over HTTP, and check the answer.

Takes the server's log, in which it says its address, and its process number.
"""

import os
import re
import sys
import time
from pathlib import Path

from gradio_client import Client

WAIT = 300  # seconds


def address_in(log: Path, process: int) -> str:
    """Wait for the address that the server prints."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        os.kill(process, 0)  # raises if the server has ended
        if found := re.search(r"vitviz is at (http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.1)
    raise SystemExit("The server printed no address.")


def main() -> None:
    """Ask for the cat."""
    client = Client(address_in(Path(sys.argv[1]), int(sys.argv[2])), verbose=False)
    answer = client.predict("cat", "cifar10-ti4", "rollout", api_name="/explain")
    probabilities = answer["probabilities"]
    assert abs(sum(probabilities.values()) - 1) < 1e-5, answer
    assert [len(row) for row in answer["map"]] == [8] * 8, answer
    best = max(probabilities, key=probabilities.__getitem__)
    print(f"The page explained an image: {best}, {100 * probabilities[best]:.1f} %")


if __name__ == "__main__":
    main()
