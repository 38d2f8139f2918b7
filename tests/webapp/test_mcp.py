"""MCP: the three endpoints as tools, on request only, and nothing else."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from importlib.util import find_spec

import pytest

from benchmarks.page import run_server, unused_port
from tests.webapp.serving import CAT, IGNORE_PANDAS_WARNINGS, Client, running
from vitviz.data.preprocessing import sample_paths
from vitviz.errors import ConfigError
from vitviz.webapp.app import build_app, serve
from vitviz.webapp.server.guard import is_known_path

pytestmark = IGNORE_PANDAS_WARNINGS
TOOLS = {"explain_image", "list_checkpoints", "list_methods"}
needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="gradio[mcp] is not installed")


@pytest.mark.parametrize("on_space", [False, True])
def test_a_public_page_has_no_tools(monkeypatch, on_space):
    if on_space:
        monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    with pytest.raises(ConfigError, match=r"^mcp is not available on a public page\. Start without `public` or"):
        build_app(public=not on_space, mcp=True)


def test_without_the_package_the_page_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ConfigError, match=r"^mcp needs the MCP package of Gradio\. Run: pip install 'gradio\[mcp\]'$"):
        build_app(mcp=True)


def test_a_package_that_does_not_fit_gradio_is_reported_instead_of_a_page_without_tools(monkeypatch, tmp_path):
    def fail(blocks):
        raise AttributeError("no attribute 'Server'")

    (tmp_path / "mcp.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    monkeypatch.setattr("gradio.mcp.GradioMCPServer", fail)
    with pytest.raises(
        ConfigError, match=r"^mcp cannot start with the installed package: .*'Server'\. Run: pip install"
    ):
        serve(build_app(mcp=True), port=unused_port(), block=False)


@pytest.mark.parametrize("path", ["/gradio_api/mcp", "/gradio_api/mcp/"])
def test_the_path_of_the_tools_is_known_on_request_only(path):
    assert is_known_path(path, mcp=True)
    assert not is_known_path(path)
    for below in ("sse", "messages/", "schema", "http"):
        assert not is_known_path(f"{path.rstrip('/')}/{below}", mcp=True)


def test_the_environment_variable_of_gradio_does_not_switch_the_tools_on(monkeypatch, tmp_path):
    monkeypatch.setenv("GRADIO_MCP_SERVER", "True")
    with running(tmp_path) as client:
        assert not client.config()["mcp_server"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server with tools."""
    folder = tmp_path_factory.mktemp("mcp")
    with run_server({"GRADIO_TEMP_DIR": str(folder / "uploads")}, folder, ["--mcp"]) as (address, _, _):
        yield address


@asynccontextmanager
async def session(address):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        streamable_http_client(f"{address}gradio_api/mcp/") as (read, write, _),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        yield client


def file_data(path, url=None):
    """Return a file as a tool receives it."""
    others = dict.fromkeys(("size", "orig_name", "mime_type")) | {"is_stream": False}
    return {"path": path, "url": url, "meta": {"_type": "gradio.FileData"}} | others


@pytest.mark.slow
@needs_mcp
def test_the_three_endpoints_are_the_only_tools(server):
    async def ask():
        async with session(server) as client:
            tools = (await client.list_tools()).tools
            methods = await client.call_tool("list_methods", {})
            checkpoints = await client.call_tool("list_checkpoints", {})
            explained = await client.call_tool("explain_image", {"image": "ship", "method": "rollout"})
            others = [(await client.list_resources()).resources, (await client.list_prompts()).prompts]
            return tools, [methods, checkpoints, explained], others

    tools, results, others = asyncio.run(ask())
    assert {tool.name for tool in tools} == TOOLS
    assert others == [[], []]
    assert not any(result.isError for result in results)
    methods, checkpoints, explained = (result.content[0].text for result in results)
    assert "rollout" in methods
    assert "cifar10-ti4" in checkpoints
    assert "'ship': 0." in explained
    assert "resized from 96 × 96 to 32 × 32" in explained
    (explain,) = (tool for tool in tools if tool.name == "explain_image")
    assert {*explain.inputSchema["properties"]} == {"image", "checkpoint", "method"}


@pytest.mark.slow
@needs_mcp
def test_a_tool_explains_an_upload_but_no_other_file(server, canary):
    path = json.loads(Client(server).upload(CAT)[1])[0]
    other, (port, contacts) = str(sample_paths()["dog"]), canary
    url = f"http://127.0.0.1:{port}/a.png"
    refused = [other, file_data(other), "/etc/passwd", url, file_data(url, url), file_data(other, url), "unicorn", {}]

    async def ask():
        async with session(server) as client:
            return [
                await client.call_tool("explain_image", {"image": image}) for image in (path, file_data(path), *refused)
            ]

    accepted, as_file, *others = asyncio.run(ask())
    for result in (accepted, as_file):
        assert not result.isError
        assert "'cat': 0." in result.content[0].text
    assert all(result.isError for result in others)
    assert not any("probabilities" in str(result.content) for result in others)
    assert contacts == []


@pytest.mark.slow
@needs_mcp
def test_other_clients_are_served_and_guarded_as_without_tools(server):
    client = Client(server)
    status, events = client.endpoint("explain", "cat", "cifar10-ti4", "average")
    assert status == 200
    assert "event: complete" in events
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    kind = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        assert client.request("POST", "/gradio_api/mcp/", kind | headers, body)[0] in (400, 403)
    for path in ("sse", "schema", "messages/", "http"):
        assert client.request("GET", f"/gradio_api/mcp/{path}")[0] == 404
    for path in ("run/explain", "api/explain", "run/predict"):
        assert client.post(f"/gradio_api/{path}", {"data": ["cat"]})[0] == 404
