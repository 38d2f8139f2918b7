"""What stands in an SVG image."""

import xml.etree.ElementTree as ET


def words(svg: str) -> list[str]:
    """All its texts."""
    return ["".join(node.itertext()).strip() for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
