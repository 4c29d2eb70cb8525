"""Which changes lean on chance, so that they are looked at more often."""

from __future__ import annotations

import pytest

from forsooth.git.trees import Change
from forsooth.judge.disbelief.chance import is_chancy
from tests.judge.checks.place import Tree

OLD = "import random\n\n\ndef roll():\n    return random.random()\n"


def of(text: str, path: str, before: str | None = None) -> bool:
    change = Change(path, "A" if before is None else "M", "100644", "100644", "1", "2")
    was = None if before is None else Tree({path: before})
    return is_chancy((change,), Tree({path: text}), was)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "x = random.random() < 0.9"),
        ("shop.py", "for name in set(names):"),
        ("shop.py", "if hash(name) % 2:"),
        ("shop.py", "if time.time() % 2 > 1:"),
        ("shop.py", "now = datetime.now()"),
        ("test_shop.py", "threading.Thread(target=work).start()"),
        ("shop.js", "if (Math.random() < 0.9) return price;"),
        ("shop.js", "setTimeout(done, 5);"),
        ("shop.js", "if (Date.now() % 2) return 1;"),
        ("shop.go", "if rand.Intn(10) > 0 {"),
        ("shop.go", "if time.Now().UnixNano()%2 == 0 {"),
        ("shop.go", "go func() { done <- 1 }()"),
        ("shop.sh", "[ $((RANDOM % 10)) -gt 0 ]"),
        ("shop.sh", "case $(date +%S) in"),
        ("shop.sh", "[ $(($$ % 2)) = 0 ]"),
        ("shop.sh", "head -c 1 /dev/urandom"),
    ],
)
def test_a_source_of_chance_in_new_lines_is_seen(path: str, line: str):
    """In every language, in product and tests alike."""
    assert of(f"{line}\n", path)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "return price - price * percent // 100"),
        ("shop.py", "brand, operand, valid(x), self.reset(x), grid(x)"),
        ("shop.js", "seen.set(name, price);"),
        ("shop.go", "for _, one := range prices {"),
        ("shop.sh", "updated=$1; echo $updated"),
        ("README.md", "Prices are random."),
    ],
)
def test_plain_lines_and_texts_are_not(path: str, line: str):
    """More looks cost time."""
    assert not of(f"{line}\n", path)


def test_lines_that_stood_there_before_do_not_count():
    """Only what the work brings in is in question."""
    assert not of(OLD + "\n\ndef one():\n    return 1\n", "dice.py", OLD)
    assert of(OLD.replace("random.random()", "random.random() / 2"), "dice.py", OLD)
