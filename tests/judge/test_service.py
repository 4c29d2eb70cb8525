"""Services beside a check: started by `before` inside the sandbox, gone with the run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.e2e.place import Place
from tests.judge.environment.developer import wrote
from tests.tools import needs

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
START = """\
set -e
initdb -D /tmp/db -A trust -U judge --no-sync
pg_ctl -D /tmp/db -l /tmp/db.log -w -o "-k /tmp -c listen_addresses=127.0.0.1" start
"""
CHECK = """\
cat tables/* | psql -h 127.0.0.1 -U judge -d postgres -v ON_ERROR_STOP=1
test "$(psql -h 127.0.0.1 -U judge -d postgres -tAc 'select sum(tax) from till')" = 19
"""


@needs("postgresql", "strict")
def test_a_database_of_the_system_serves_a_check(tmp_path):
    """On the judge's own loopback, with its data in the sandbox, whoever runs the judge."""
    place = Place(tmp_path / "work", tmp_path / "home")
    place.home.mkdir()
    wrote(
        place.folder,
        {
            "start.sh": f"export PATH={PROGRAMS[-1].parent}:$PATH\n{START}",
            "check.sh": f"set -e\nexport PATH={PROGRAMS[-1].parent}:$PATH\n{CHECK}",
            "tables/till.sql": "create table till (tax int);\n",
            "forsooth.toml": '[environment]\nbefore = ["sh start.sh"]\n',
            "BRIEF.md": "@goal: Tax\n- [ ] `sh check.sh`\n- [ ] only tables/till.sql changes\n",
        },
    )
    for argv in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "first")):
        run = ["git", *argv]
        subprocess.run(run, cwd=place.folder, env=place.environment(), check=True)
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    assert outcome(place) == ("fail", "exit")
    place.write("tables/till.sql", "create table till (tax int);\ninsert into till values (19);\n")
    assert outcome(place) == ("pass", "pass")


def outcome(place: Place) -> tuple[str, str]:
    found = place.run("check", "G001", "--json", code=None).data["findings"]
    return next((row["outcome"], row["code"]) for row in found if row["criterion"] == "G001.C1")
