"""Direct contributions: they sum to the logit, and equal a decomposition that is written out for a plain ViT."""

import pytest

from tests import tiny
from vitviz.attribution.explanation import explain


@pytest.mark.parametrize("variant", tiny.VARIANTS)
@pytest.mark.parametrize("target", [3, (3, 7)])
def test_contributions_sum_to_the_logit(variant, target):
    found = explain(tiny.checkpoint(tiny.VARIANTS[variant]), tiny.pixels()).contributions(target)
    assert found.total == pytest.approx(found.logit, abs=1e-5)
