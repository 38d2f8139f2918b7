"""Style of all figures: fonts, color maps and color bars, independent of the user's Matplotlib settings.

These settings are global to the process, so a lock allows one figure to be drawn or rendered at a time.
"""

import vitviz.plots.mpl_backend  # noqa: F401 - before Matplotlib

# isort: split
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from matplotlib import font_manager, style
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.scales import FACTOR, Scale

TEXT_COLOR, MUTED_COLOR, LINE_COLOR, ACCENT_COLOR = "#1a1d21", "#59606a", "#dfe2e6", "#0b5cad"
FONTS = ("Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC")
STYLE = {
    "font.size": 7,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.edgecolor": LINE_COLOR,
    "axes.linewidth": 0.5,
    "axes.labelcolor": MUTED_COLOR,
    "xtick.color": LINE_COLOR,
    "ytick.color": LINE_COLOR,
    "xtick.labelcolor": MUTED_COLOR,
    "ytick.labelcolor": MUTED_COLOR,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    "legend.frameon": False,
    "text.color": TEXT_COLOR,
    "image.interpolation": "nearest",
    "svg.hashsalt": "vitviz",  # equal figures are equal files
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType, which journals take
}
MAP_COLORS = ListedColormap(COLOR_MAPS["seq", "light"] / 255, name="seq").with_extremes(bad=LINE_COLOR)
SIGNED_COLORS = ListedColormap(COLOR_MAPS["div", "light"] / 255, name="div").with_extremes(bad=LINE_COLOR)
DPI = 300  # of PNG files and of images in SVG and PDF files
NOTEBOOK_DPI, JPEG_QUALITY = 150, 95
LOCK = threading.RLock()


@contextmanager
def own_style() -> Iterator[None]:
    """Use Matplotlib's defaults with the style of these figures; characters that a font lacks come from the next."""
    with LOCK, style.context(["default", {**STYLE, "font.family": list(fonts())}]):
        yield


@cache
def fonts() -> tuple[str, ...]:
    """Return the fonts that are installed."""
    known = set(font_manager.get_font_names())
    return tuple(font for font in FONTS if font in known)


class Displayed(Figure):
    """A figure that shows itself in a notebook."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str | bytes]:
        return {"image/png": render(self, ".png", NOTEBOOK_DPI), "text/plain": repr(self)}


def plain(text: str) -> str:
    """Escape dollar signs, which start formulas in Matplotlib, and replace control characters, invalid in SVG."""
    return "".join(char if char.isprintable() or char in "\u00a0\n" else " " for char in text).replace("$", r"\$")


def render(figure: Figure, ending: str, dpi: int = DPI) -> bytes:
    """Return a figure as the bytes of a .png, .svg or .pdf file, equal for equal figures."""
    buffer = io.BytesIO()
    quality = {"pil_kwargs": {"quality": JPEG_QUALITY}} if ending in (".jpg", ".jpeg") else {}
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
    with own_style():
        figure.savefig(buffer, format=ending[1:], dpi=dpi, metadata=undated, **quality)
    return buffer.getvalue()


def norm(scale: Scale) -> Normalize:
    """Return the scale as a norm of Matplotlib."""
    if scale.kind == "uniform":
        return LogNorm(scale.limit / FACTOR, scale.limit * FACTOR, clip=True)
    return Normalize(-scale.limit if scale.kind == "signed" else scale.low, scale.limit)


def colors(scale: Scale) -> ListedColormap:
    """Return the color map of a scale."""
    return MAP_COLORS if scale.kind == "linear" else SIGNED_COLORS


def add_color_bar(image: AxesImage, axes: Axes, scale: Scale, shrink: float = 1.0) -> None:
    """Add the color bar of a map below it, in percent of attention, multiples of uniform, fractions, or logits.

    Its length is that of the axes times `shrink`.
    """
    extend = "both" if scale.kind == "uniform" else "max" if scale.clips else "neither"
    bar = axes.figure.colorbar(
        image,
        ax=axes,
        location="bottom",
        extend=extend,
        extendfrac=0.04,
        aspect=25,
        pad=0.02,
        fraction=0.06,
        shrink=shrink,
    )
    bar.outline.set_visible(False)
    bar.set_label(scale.unit().partition(";")[0])  # the rest is an explanation that would not fit
    bar.ax.minorticks_off()
    low, high = (-scale.limit if scale.kind == "signed" else scale.low), scale.limit
    places = [low + (high - low) * quarter / 4 for quarter in range(0, 5, 2)]
    if scale.kind == "uniform":
        factors = (1 / FACTOR, 1, FACTOR)
        bar.set_ticks([scale.limit * factor for factor in factors], labels=[f"{factor:g} ×" for factor in factors])
    elif scale.kind == "signed":
        bar.set_ticks(places, labels=[f"{place:+.3g}".replace("-", "−") if place else "0" for place in places])
    elif scale.is_weight:
        bar.set_ticks(places, labels=[f"{100 * place:.3g} %" for place in places])
    else:
        bar.set_ticks(places, labels=[f"{place / high:.2g}" for place in places])
