"""The verifier in docs/, which shares no line with ours, and what it and ours agree on."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.receipts import ssh, verify
from tests.receipts import collection, made, openssh
from tests.receipts.made import key, receipt

PAGE = collection.DOCS / "verify_receipt.py"
EVERY = collection.every() | {
    name: data for name, data in collection.kept().items() if name.startswith("receipt")
}


def test_it_is_short_enough_to_be_read_before_it_is_believed():
    """At most eighty lines of code, and nothing but the standard library and cryptography."""
    text = PAGE.read_text()
    tree = ast.parse(text)
    code = text.splitlines()[tree.body[0].end_lineno or 0 :]
    assert len([line for line in code if line.strip()]) <= 80
    assert "forsooth" not in {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }


@pytest.mark.parametrize("name", EVERY)
def test_both_verifiers_agree_on_every_receipt(name: str):
    """Sound or not, both say the same of it."""
    ours = verify.verified(EVERY[name], now=made.NOW, tree=made.TREE)
    assert ours.holds == (not name.startswith("bad"))
    assert collection.refuses(EVERY[name]) != ours.holds
    if ours.holds:
        told = collection.independent(EVERY[name], made.TREE, [ours.keys[0].id])
        assert ours.statement
        assert told == ours.statement.predicate.plain()


@pytest.mark.parametrize("kind", openssh.KINDS)
def test_both_verifiers_agree_on_what_ssh_keygen_signed(tmp_path: Path, kind: str):
    """Every kind of key a person may have."""
    data = receipt(by=ssh.user(tmp_path, path=openssh.made(tmp_path, kind)))
    assert verify.verified(data, now=made.NOW).holds
    assert not collection.refuses(data)


def test_both_verifiers_refuse_another_tree_and_an_unnamed_key():
    """A sound receipt about something else proves nothing here."""
    assert collection.refuses(receipt(), tree="a" * 40)
    with pytest.raises(ValueError, match="nobody you named"):
        collection.independent(receipt(), made.TREE, [key(2).public.id])


def test_a_stranger_runs_it_as_a_program(tmp_path: Path):
    """A file and a tree in, the predicate out, and a failure for anything else."""
    file = tmp_path / "receipt"
    file.write_bytes(receipt())

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(PAGE), str(file), *argv]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert json.loads(run(made.TREE, key().public.id).stdout)["subject"] == "G001"
    assert run("a" * 40).returncode
