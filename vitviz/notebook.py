"""The explorer as a notebook widget with two-way state, by anywidget."""

import json
from typing import Any

import anywidget
import traitlets

from vitviz.attribution.explanation import Explanation
from vitviz.attribution.serialize import to_file
from vitviz.plots.document import script
from vitviz.view import View, check_index


class ExplorerWidget(anywidget.AnyWidget):
    """The explorer of an explanation; changes of its traits and of the selection in the browser are synchronized.

    Attributes:
        layer: Layer of the large map, from 0; None for the mean over layers.
        head: Head of the large map, from 0; None for the mean over heads.
        patch: Query patch, position in reading order from 0; None for the class token.

    Raises:
        traitlets.TraitError: If a layer, head or patch that does not exist is set.
    """

    layer = traitlets.Int(None, allow_none=True).tag(sync=True)
    head = traitlets.Int(None, allow_none=True).tag(sync=True)
    patch = traitlets.Int(None, allow_none=True).tag(sync=True)
    data = traitlets.Unicode().tag(sync=True)

    def __init__(self, explanation: Explanation, layer: int | None = None, head: int | None = None) -> None:
        self.explanation = explanation
        layers, heads = explanation.context.layers_and_heads
        rows, columns = explanation.context.grid
        self.counts = {"layer": layers, "head": heads, "patch": rows * columns}
        for name, value in (("layer", layer), ("head", head)):
            check_index(name, value, self.counts[name], None)
        data = to_file(
            explanation,
            View(layer="mean" if layer is None else layer, head="mean" if head is None else head),
            complete=False,
        )
        self._esm = script()
        super().__init__(layer=layer, head=head, data=json.dumps(data, allow_nan=False))

    @traitlets.validate("layer", "head", "patch")
    def _check(self, proposal: Any) -> int | None:
        """Check a new value, from Python or from the browser."""
        try:
            check_index(proposal.trait.name, proposal.value, self.counts[proposal.trait.name], None)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None
        value: int | None = proposal.value
        return value
