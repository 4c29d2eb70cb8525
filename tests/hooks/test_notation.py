"""JSON without the json package: it must read and write as that does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as some

from forsooth.hooks.notation import parsed, written
from tests.hooks.stage import SOURCE

SCALARS = some.none() | some.booleans() | some.integers() | some.text()
VALUES = some.recursive(
    SCALARS, lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner), max_leaves=20
)


@given(VALUES)
def test_what_is_written_is_read_alike_by_everyone(value):
    """Whatever we write, the json package reads, and the other way round."""
    assert json.loads(written(value)) == value
    assert parsed(f" {json.dumps(value, indent=1)}\n".encode()) == value


@given(some.binary(max_size=30) | some.text(alphabet='{}[]",:1tn ', max_size=12).map(str.encode))
def test_what_the_json_package_refuses_is_refused(data):
    """And nothing else is."""
    try:
        expected = json.loads(data.decode())
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011
            parsed(data)
    else:
        assert parsed(data) == expected


@pytest.mark.parametrize("text", ['{"v":1', '{"v', "[" * 50_000])
def test_torn_text_is_a_value_error_also_where_the_json_package_was_never_loaded(text):
    """As in the hook itself, which must know that from an error of its own."""
    code = (
        f"import sys; sys.path.append({str(SOURCE)!r})\n"
        "from forsooth.hooks.notation import parsed\n"
        "try: parsed(sys.stdin.buffer.read())\n"
        "except ValueError as error: print(error, 'json' in sys.modules)\n"
    )
    argv = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(argv, input=text.encode(), capture_output=True, check=True)
    assert done.stdout == b"not JSON False\n"
