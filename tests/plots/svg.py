"""Texts of an SVG image."""

import xml.etree.ElementTree as ET


def words(svg: str) -> list[str]:
    """Return all text elements."""
    return ["".join(node.itertext()).strip() for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
