"""Models whose full attention is too large to be sent: the rows of a query are requested when it is shown."""

import re
import subprocess
import sys

import pytest
import torch
from playwright.sync_api import expect

import vitviz
from benchmarks import large
from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.explore import API, choose_option, point
from vitviz.data import cifar
from vitviz.data.preprocessing import sample_paths
from vitviz.environment import make_environment
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(offline_env, tmp_path_factory):
    """A server that sends at most 0.1 MB of attention: that of the shipped model takes 0.4."""
    extra = offline_env | {"VITVIZ_MAX_ATTENTION_MB": "0.1", "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads"))}
    with bench.server(extra, tmp_path_factory.mktemp("work")) as (address, _):
        yield address


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def expect_weight(page, weight):
    """Wait until the line below the map shows this weight of the class token."""
    rounded = "|".join(re.escape(f"{100 * weight:.{digits}f}") for digits in range(3))
    expect(page.locator(".class-weight")).to_have_text(re.compile(rf"^({rounded})\s%"))


def test_rows_of_a_patch_arrive_when_it_is_pointed_at(open_page, explanation):
    page = open_page("?image=cat&layer=4&head=1")
    headline = page.locator(".headline")
    expect(headline).to_contain_text("the class token attends most to")
    point(page, "image", 27)
    expect(headline).to_contain_text("row 4, column 4 attends most to")
    expect_weight(page, explanation.attention[4, 1, 1 + 27, 0])
    page.locator(".stage.image").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.mouse.move(0, 0)
    page.locator(".headline").click()
    expect(headline).to_contain_text("row 4, column 5 attends most to")
    choose_option(page, "direction", "to")
    expect(headline).to_contain_text("attends most to row 4, column 5")


def test_a_link_opens_with_a_patch_and_several(open_page):
    page = open_page("?image=cat&layer=4&head=1&query=18,45")
    expect(page.locator(".headline")).to_contain_text("these 2 patches attend most to")
    page = open_page("?image=cat&layer=4&head=1&query=18&direction=to")
    expect(page.locator(".headline")).to_contain_text("attends most to row 3, column 3")


def test_with_ablated_heads_rows_are_those_of_the_ablated_model(open_page, explanation):
    page = open_page("?image=cat&layer=5&head=1&query=18&ablations=heads:0.0")
    ablated = explanation.ablate(heads=[(0, 0)])
    expect_weight(page, ablated.attention[5, 1, 1 + 18, 0])


def test_a_refused_query_returns_to_the_class_token(open_page):
    page = open_page("?image=cat&layer=4&head=1")
    page.route(API, lambda route: route.abort())
    point(page, "image", 27)
    expect(page.locator(".status")).to_contain_text("The server did not respond")
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")


def test_the_benchmark_measures_painting_hover_and_memory(offline_env, tmp_path, monkeypatch):
    monkeypatch.setitem(large.SIZES, "small", {"embed_dim": 24, "depth": 2, "num_heads": 3})
    path = large.write_model("small", tmp_path)
    command = [sys.executable, "-m", "benchmarks", "large", str(path), "--images", "2"]
    environment = make_environment(offline_env | {"COLUMNS": "160"})
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    for row in ("image chosen to all heads painted", "patch pointed at to all heads painted", "redrawing all heads"):
        assert re.search(rf"{row}[^│]*│ +[\d.]+ ms +│ +[\d.]+ ms +│", printed), printed
    for row in ("peak memory of the server [a-z ]+", "the same after the maps of all methods"):
        assert re.search(rf"{row} +│ (-?\d\.\d\d GB|unknown)", printed), printed


@pytest.fixture(scope="module")
def pooled(offline_env, tmp_path_factory):
    """The address of a server that opens a model with attention pooling, and an explanation by it."""
    torch.manual_seed(0)
    config = ViTConfig(embed_dim=24, depth=3, num_heads=2, class_token=False, global_pool="map", num_classes=3)
    network = ViT(config).eval()
    for weight in network.parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=0.3)
    work = tmp_path_factory.mktemp("pooled")
    path = work / "pooled.safetensors"
    checkpoint.save(Checkpoint("pooled", network, ("a", "b", "c"), cifar.MEAN, cifar.STD, {}), path)
    extra = offline_env | {"GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads"))}
    with bench.run_server(extra, work, ("--checkpoint", str(path))) as (address, *_):
        yield address, vitviz.explain(vitviz.load(path), sample_paths()["cat"])


def test_attention_pooling_is_a_row_of_the_matrix(context, pooled):
    address, explanation = pooled
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    row = page.locator(".matrix-row").last
    expect(row.locator("[role=rowheader]")).to_have_text("pool")
    row.locator(".cell").nth(1).click()
    row_of, column = divmod(int(explanation.attention_map("pool", 1).argmax()), 8)
    expect(page.locator(".headline")).to_have_text(
        f"Attention pooling, head 2: the pooling query attends most to row {row_of + 1}, column {column + 1}"
    )
    expect(page.locator("[data-do=ablate]")).to_be_hidden()
    expect(page).to_have_url(re.compile("layer=pool&head=1"))
    point(page, "image", 9)
    expect(page.locator(".headline")).to_contain_text("the pooling query attends most to")
    page.mouse.move(0, 0)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".headline")).to_contain_text("Layer 1, head 2")
