"""The wire: both eras of the protocol, few bytes, and nothing on it but the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.place import Place
from tests.mcp.conftest import moved
from tests.mcp.wire import NEW, OLD, Wire

NAMES = ["plan", "status", "next", "check", "done", "block", "steer"]


@pytest.fixture(scope="module", params=[OLD, NEW])
def wire(
    begun_once: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Wire]:
    """One client of each era for all that changes nothing."""
    place = moved(begun_once, tmp_path_factory.mktemp("wire") / "place")
    with Wire(place, era=request.param) as made:
        yield made
    assert "Traceback" not in made.close()


def test_a_client_of_either_era_finds_the_same_seven_tools(wire: Wire):
    """They come in one order, in at most 6,000 bytes, and every request id is given back."""
    tools = [wire.request("tools/list")["tools"] for _ in range(2)]
    assert [tool["name"] for tool in tools[0]] == NAMES
    assert tools[0] == tools[1]
    whole = wire.ask("tools/list")["result"]
    assert len(json.dumps(whole, separators=(",", ":"), ensure_ascii=False).encode()) <= 6000
    assert "forsooth" in json.dumps(wire.hello)


def test_what_the_server_does_not_know_is_an_error_and_not_its_end(wire: Wire):
    """Unknown methods, tools and addresses, and a line that is no message, leave it serving."""
    assert wire.ask("no/such")["error"]["code"] == -32601
    assert wire.ask("tools/call", {"name": "seal", "arguments": {}})["error"]["code"] == -32602
    nowhere = wire.ask("resources/read", {"uri": "forsooth://goal/../../x"})["error"]
    assert nowhere["code"] == -32602
    assert wire.process.stdin
    wire.process.stdin.write(b"this is no message\n")
    wire.process.stdin.flush()
    assert wire.data("status")["plan"]["status"] == "active"


def test_arguments_that_do_not_fit_are_all_told_at_once(wire: Wire):
    """The model reads every misfit and what the tool takes."""
    codes, text = wire.refused("block", needs="nobody", goals="G001", failed="yes")
    assert codes == ["usage"]
    for part in ("`goal` is missing", "`why` is missing", "no `goals`", "one of agent", "boolean"):
        assert part in text
    assert "try: block takes goal" in text


def test_plan_goals_and_receipts_can_be_read(wire: Wire):
    """Each as Markdown and as JSON, at addresses that are listed in one order."""
    listed = [row["uri"] for row in wire.request("resources/list")["resources"]]
    assert listed[1:] == ["forsooth://goal/G001", "forsooth://goal/G002"]
    for address in listed:
        page, data = wire.request("resources/read", {"uri": address})["contents"]
        assert (page["mimeType"], data["mimeType"]) == ("text/markdown", "application/json")
        assert page["text"].startswith("# ")
        assert json.loads(data["text"])
    kinds = wire.request("resources/templates/list")["resourceTemplates"]
    assert [row["uriTemplate"] for row in kinds] == [
        f"forsooth://{kind}/{{id}}" for kind in ("plan", "goal", "receipt")
    ]


def test_a_folder_outside_any_repository_is_said_to_be_one(sealed: Place):
    """The server starts anywhere; a client's roots can lead it to the repository."""
    outside = Place(sealed.home, sealed.home)
    with Wire(outside) as wire:
        _, text = wire.refused("status")
        assert "is not in a git repository" in text
        assert wire.request("resources/list")["resources"] == []
    roots = {"roots": [{"uri": sealed.folder.as_uri()}]}
    with Wire(outside, reply=lambda _: roots, able={"roots": {}}) as wire:
        assert wire.data("status")["plan"]["status"] == "active"
    with Wire(outside, env={"CLAUDE_PROJECT_DIR": str(sealed.folder)}) as wire:
        assert wire.data("status")["plan"]["status"] == "active"
