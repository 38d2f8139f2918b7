"""Write the table of where timm's pretrained weights are, from an installed timm: python -m scripts.timm_names."""

import timm

from vitviz.models.names import TIMM_NAMES


def main() -> None:
    """Replace the table."""
    TIMM_NAMES.write_text(table(), encoding="utf-8")


def table() -> str:
    """Return a line per architecture: its tags, the default first, each with "=WHERE" if that is not timm/NAME."""
    tags: dict[str, list[str]] = {}
    for name in timm.list_pretrained():
        architecture, _, tag = name.partition(".")
        tags.setdefault(architecture, []).append(tag)
    lines = []
    for architecture, found in tags.items():
        default = timm.get_pretrained_cfg(architecture).tag
        found.sort(key=lambda tag: tag != default)
        lines.append(" ".join([architecture, *(entry(architecture, tag) for tag in found)]))
    return "\n".join(lines) + "\n"


def entry(architecture: str, tag: str) -> str:
    """Return a tag, and where its weights are if that does not follow from it."""
    name = f"{architecture}.{tag}"
    known = timm.get_pretrained_cfg(name)
    where = known.hf_hub_id or known.url
    return tag if where == f"timm/{name}" else f"{tag}={where}"


if __name__ == "__main__":
    main()
