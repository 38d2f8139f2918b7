"""Write vitviz/webapp/opening.json, what the page shows before torch is imported: python -m scripts.opening."""

import json

from vitviz.attribution import serialize
from vitviz.data import environment
from vitviz.view import Sample, Subject
from vitviz.webapp import opening
from vitviz.webapp.backend import Backend
from vitviz.webapp.models import list_bundled
from vitviz.webapp.routes.explanations import to_reply

SUBJECT = Subject(model="cifar10-ti4", image=Sample(name="cat"))


def main() -> None:
    """Write the file."""
    opening.FILE.write_text(content(), encoding="utf-8")


def content() -> str:
    """Return the content of the file."""
    backend = Backend()
    reply = to_reply(backend.explanations.compute(SUBJECT))
    found: opening.Opening = {
        "checksums": opening.checksums(),
        "max_sent_bytes": environment.MAX_SENT_BYTES,
        "models": list_bundled(),
        "methods": serialize.methods_to_json(),
        "explained": {"subject": SUBJECT.model_dump(), "reply": reply.model_dump()},
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    main()
