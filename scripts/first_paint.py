"""Write vitviz/webapp/first_paint.json, what the page shows before torch is imported: python -m scripts.first_paint."""

import json

from vitviz import environment
from vitviz.attribution import serialize
from vitviz.view import Sample, Subject
from vitviz.webapp import first_paint
from vitviz.webapp.backend import Backend
from vitviz.webapp.models import list_bundled
from vitviz.webapp.routes.explanations import to_reply

SUBJECT = Subject(model="cifar10-ti4", image=Sample(name="cat"))


def main() -> None:
    """Write the file."""
    first_paint.FILE.write_text(content(), encoding="utf-8")


def content() -> str:
    """Return the content of the file."""
    backend = Backend()
    reply = to_reply(backend.explanations.compute(SUBJECT))
    found: first_paint.FirstPaint = {
        "checksums": first_paint.checksums(),
        "max_sent_bytes": environment.MAX_SENT_BYTES,
        "models": list_bundled(),
        "methods": serialize.methods_to_json(),
        "explained": {"subject": SUBJECT.model_dump(), "reply": reply.model_dump()},
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    main()
