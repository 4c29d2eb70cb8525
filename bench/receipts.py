"""What a receipt costs to sign and verify, beside a bare ssh-keygen pair, in one run.

python bench/receipts.py [--rounds 100]

Exits 1 when signing and verifying take 50 ms more than the bare pair.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from forsooth.receipts import dsse, keys, ssh, statement, verify
from forsooth.receipts.signers import Signer
from tests.receipts import made, openssh

BAR = 50.0


def median(rounds: int, work: Callable[[], object]) -> float:
    """The median of some rounds, in milliseconds."""
    took: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def pair(folder: Path, path: Path, message: bytes) -> None:
    """Sign and verify with ssh-keygen alone."""
    blob = openssh.signed(path, message)
    asked = {"message": message, "namespace": "forsooth-receipt"}
    assert openssh.accepts(folder, openssh.half(path), blob, **asked)


def whole(key: dsse.Signing, signer: Signer) -> None:
    """Build, sign and verify one receipt."""
    data = dsse.sign(statement.encoded(made.build()), key)
    assert verify.verified(data, now=made.NOW, signers=[signer], tree=made.TREE).holds


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = openssh.made(folder)
        judge, user = keys.judge(folder), ssh.user(folder, path=path)
        assert user
        message = dsse.pae(dsse.RECEIPT, statement.encoded(made.build()))
        mine = Signer("judge", judge.public, ("judge",))
        theirs = Signer("ada", user.public, ("person",))
        bare = median(rounds, lambda: pair(folder, path, message))
        by_judge = median(rounds, lambda: whole(judge, mine))
        by_user = median(rounds, lambda: whole(user, theirs))
        data = made.receipt()
        alone = median(rounds * 10, lambda: verify.verified(data, now=made.NOW, signers=[mine]))
    empty = median(rounds, lambda: subprocess.run(["/bin/true"], check=True))
    print(f"ssh-keygen -Y sign + verify (two processes)   {bare:8.2f} ms")
    print(f"one process that does nothing                 {empty:8.2f} ms")
    print(f"receipt by the judge's key: sign + verify     {by_judge:8.2f} ms")
    print(f"receipt by the user's SSH key: sign + verify  {by_user:8.2f} ms")
    print(f"verify alone                                  {alone:8.3f} ms, {1000 / alone:.0f} a s")
    return int(max(by_judge, by_user) > bare + BAR)


if __name__ == "__main__":
    sys.exit(main())
