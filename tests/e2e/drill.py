"""Two clones and a bare remote between them: one proves a branch, the other looks at it."""

from __future__ import annotations

from pathlib import Path

from forsooth.receipts import carry, keys
from tests.e2e.place import Place, new
from tests.e2e.proving import APART, claim, sealed

SAY = {"greet__say": "echo hi\n", "part__say": "echo hi\n"}
FETCH = ("fetch", "-q", "origin", "refs/forsooth/*:refs/forsooth/*")


def signer(home: Path, roles: str = '"judge", "person"') -> str:
    """The table that lists the key of a home."""
    key = keys.judge(home).public.text
    return f'[[signers]]\nname = "ada"\nkey = "{key}"\nroles = [{roles}]\n'


def cloned(maker: Place, name: str, *argv: str) -> Place:
    """Somebody else's clone, with a home in which there is no key, and the receipts fetched."""
    folder, home = maker.folder.parent / name, maker.folder.parent / f"{name}-home"
    home.mkdir()
    url = (maker.folder.parent / "hub.git").as_uri()
    maker.git("clone", "-q", *argv, url, str(folder), folder=maker.folder.parent)
    other = Place(folder, home)
    other.git(*FETCH)
    return other


def pushed(folder: Path) -> Place:
    """A branch whose plan is proven, pushed with its receipts as the tool says."""
    place = new(folder / "place")
    place.commit("forsooth.toml", signer(place.home))
    hub = place.folder.parent / "hub.git"
    place.git("init", "-q", "--bare", "-b", "main", str(hub))
    place.git("remote", "add", "origin", hub.as_uri())
    place.git("push", "-q", "origin", "main")
    place.git("checkout", "-q", "-b", "work")
    sealed(place, APART, **SAY)
    place.commit("greet/say.sh", "echo good day\n")
    claim(place, "G001")
    place.commit("part/say.sh", "echo bye\n")
    claim(place, "G002")
    (push,) = [
        line.removeprefix("next: ").split()
        for line in place.run("verify").out.splitlines()
        if line.startswith("next: git push")
    ]
    assert push == list(carry.pushing())
    place.git(*push[1:])
    place.git("push", "-q", "origin", "work")
    return place
