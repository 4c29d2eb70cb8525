"""How an environment is had: prepared, else borrowed, else an error that says what to do.

Borrowing reads what is installed here, so it happens before an agent works and never after: later
runs use that copy or none. What may not be papered over, such as a wrong hash, is raised as it is.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import borrow, view
from forsooth.judge.environment.closure import chosen, imported, modules, packages
from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.interpreter import Installed, is_venv, of_program
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.mention import PYTHON, Called, Mention, beside, mention, wanting
from forsooth.judge.environment.prepare.step import Checkout
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.requirement import named
from forsooth.judge.environment.toolchain import Tool, machine, mounts_of, narrowed, tool
from forsooth.judge.environment.tree import folder
from forsooth.judge.sandbox import root as sandbox_root
from forsooth.judge.sandbox.job import Mount, Sandbox

if TYPE_CHECKING:
    from forsooth.judge.environment.layers import Layers

FINAL = {"environment:hash-mismatch", "environment:unreadable", "environment:wheel-collision"}
OFFLINE = {"environment:no-network", "environment:tool-missing", "environment:timeout"}
BORROWED = ("python", "node")
SEEN = ("/usr", "/bin", "/sbin")
Rung = Callable[["Layers", "Want", Installed | None, list[CouldNotVerify]], Layer]


class Pin(NamedTuple):
    """Which copy stands for a repository's environment, and why it is one."""

    key: str
    recipe: str
    why: str
    lacking: tuple[str, ...] = ()


class Want(NamedTuple):
    """One environment that is wanted: `recipe` with the runners that commands name added to what
    was `asked` for, where it is read and seen, and whether what is installed may still be copied.
    `extra` when it is to stand beside the repository's own. `base` is the tree that work began at,
    and `base_source` gives a checkout of it.
    """

    asked: str
    recipe: Recipe
    named: Mention
    source: Path
    root: str
    sandbox: Sandbox
    live: bool
    allow: tuple[str, ...] = ()
    at: int | None = None
    seconds: float | None = None
    extra: bool = False
    base: str = ""
    base_source: Checkout | None = None


def furnish(layers: Layers, want: Want) -> Layer:
    """The layer, by the first rung that holds.

    1. Work has begun and a copy was made for this recipe: that copy.
    2. No manifest, or a command names an interpreter outside: borrowed before prepared.
    3. Else prepared; and borrowed when that cannot be.
    4. Beside it, the tools that commands name, or scripts call, and this recipe does not bring.
    """
    kept = _pin(layers, want)
    if not want.live and kept and kept.recipe == want.asked:  # 1
        return _beside(layers, want, _of_pin(layers, want, kept))
    rungs: list[Rung] = [_prepared, _borrowed]
    outside = _chosen(layers, want)
    if want.recipe.kind in BORROWED and (outside or _is_bare(want.recipe)):  # 2
        rungs.reverse()
    return _beside(layers, want, _first(layers, want, rungs, outside=outside))  # 3, 4


def key_of(
    layers: Layers,
    recipe: Recipe,
    *,
    root: str,
    argvs: Iterable[tuple[str, ...]],
    called: Called | None = None,
) -> str:
    """What a finding rests on: recipe, toolchain, platform, and the copies that were made."""
    named = mention(argvs, root=root, called=called)
    recipe = wanting(recipe, named)
    kept = [_read(_path(layers, one, root=root)) for one in (recipe, beside(recipe, named))]
    names = (*named.perhaps, *(["python"] if named.pythons else []))
    try:
        tools = layers.tools(recipe)
        others = _perhaps(layers, names, root=root, have={one.name for one in tools})
    except CouldNotVerify as error:
        return digest({"recipe": recipe.key, "lacks": error.message, "pin": kept})
    return digest({"layer": layers.key(recipe, (*tools, *others), root=root), "pin": kept})


def _first(layers: Layers, want: Want, rungs: list[Rung], *, outside: Installed | None) -> Layer:
    told: list[CouldNotVerify] = []
    for rung in rungs:
        try:
            return rung(layers, want, outside, told)
        except CouldNotVerify as error:
            if error.code in FINAL or want.recipe.kind not in BORROWED:
                raise
            told.append(error)
    first, second = told
    says = f"{first.message}; {second.message}"
    raise CouldNotVerify(says, hint=f"{first.hint}; or {second.hint}", code=first.code)


def _prepared(layers: Layers, want: Want, _: Installed | None, __: list[CouldNotVerify]) -> Layer:
    layer = layers.of(
        want.recipe,
        source=want.source,
        root=want.root,
        sandbox=want.sandbox,
        allow_scripts=want.allow,
        at=want.at,
        seconds=want.seconds,
        base=want.base,
        base_source=want.base_source,
    )
    if want.live:
        _path(layers, want.recipe, root=want.root).unlink(missing_ok=True)
    return layer


def _borrowed(
    layers: Layers, want: Want, outside: Installed | None, told: list[CouldNotVerify]
) -> Layer:
    if not want.live:
        kept = _pin(layers, want)
        if kept is None:
            says = "no environment was copied before the work began"
            raise failure("not-borrowed", says)
        return _of_pin(layers, want, kept)
    lending = borrow.Lending(layers.store, layers.search, want.sandbox, Path(want.root))
    if want.recipe.kind == "node":
        key = borrow.lend_node(lending, want.recipe)
    else:
        found = outside or borrow.python(lending, want.recipe, _needed(want))
        _refuse_partial(want, found, told)
        names = frozenset(project.name for project in want.recipe.projects)
        whole = not want.extra and _is_made_for(want, found)
        entries = None if whole else _used(want, found)
        key = borrow.lend_python(lending, found, names=names, entries=entries)
    why = "commands call its Python" if want.extra else "no manifest says what it needs"
    why = told[-1].message if told else why
    why = f"{outside.prefix} is named by a command" if outside else why
    pin = Pin(key, want.asked, why, _lacking(layers, want, key))
    _write(_path(layers, want.recipe, root=want.root), pin)
    return _of_pin(layers, want, pin)


def _refuse_partial(want: Want, found: Installed, told: list[CouldNotVerify]) -> None:
    """Where a registry was reached and refused, half an environment would only hide why."""
    gone = sorted(_wanted(want) - packages(found.sites).keys())
    if gone and told and told[-1].code not in OFFLINE:
        says = f"{found.prefix} lacks {', '.join(gone)}"
        raise failure("nothing-to-borrow", says)


def _is_made_for(want: Want, found: Installed) -> bool:
    """Whether a Python is the repository's own; the venv this tool lies in is for the tool."""
    inside = found.prefix.is_relative_to(want.root)
    return found.is_venv and (inside or found.prefix != Path(sys.prefix))


def _used(want: Want, found: Installed) -> tuple[Path, ...]:
    """What of an installation the repository's files and commands come to use."""
    wanted = (named(line) for line in (*want.recipe.wants, *_needed(want)))
    return chosen(found.sites, imports=_imports(want), names=wanted)


def _imports(want: Want) -> frozenset[str]:
    return imported(folder(want.source), want.named.argvs)


def _needed(want: Want) -> tuple[str, ...]:
    """The modules without which the commands cannot even start."""
    runner = (want.recipe.runner,) if want.recipe.runner in ("pytest", "django") else ()
    return tuple(dict.fromkeys((*want.named.modules, *(word for word in runner if word))))


def _is_bare(recipe: Recipe) -> bool:
    return recipe.kind == "python" and not recipe.reads and not recipe.projects


def _chosen(layers: Layers, want: Want) -> Installed | None:
    """The interpreter outside the repository that a command names by path."""
    root = Path(want.root)
    if want.recipe.kind != "python":
        return None
    paths = (path for path in want.named.programs if not path.is_relative_to(root))
    found = (of_program(path, layers.search, root=root) for path in paths)
    return next((one for one in found if one), None)


def _of_pin(layers: Layers, want: Want, pin: Pin) -> Layer:
    """The copy a pin names; what the recipe has come to want since is said, not missed later."""
    if not layers.store.held(pin.key):
        says = "the environment copied before the work began is gone or was changed"
        raise failure("not-borrowed", says)
    if want.recipe.kind == "node":
        tools = layers.tools(want.recipe)
        store = layers.store
        layer = borrow.node_layer(store, pin.key, want.recipe, root=want.root, tools=tools)
    else:
        new = [name for name in _lacking(layers, want, pin.key) if name not in pin.lacking]
        if new:
            says = f"{', '.join(new)} was not installed when the environment was copied"
            raise failure("not-borrowed", says)
        layer = borrow.python_layer(layers.store, pin.key, want.recipe)
        _refuse_left_out(want, layer)
    prefix = layers.store.said(pin.key)["prefix"]
    note = f"Dependencies are a copy of what was installed in {prefix}: {pin.why}."
    return layer._replace(notes=(note, *layer.notes))


def _refuse_left_out(want: Want, layer: Layer) -> None:
    """Work may have come to import what was installed all along but nothing used before."""
    live = [Path(path) for path in _sites(layer)]
    if not live:
        return
    site = layer.folder / "env" / next(iter(layer.aliases.values()))
    own = {part.removesuffix(".py") for path in folder(want.source) for part in path.split("/")}
    new = _imports(want) - own - modules((site,))
    if left := sorted(new & modules(live)):
        says = f"{', '.join(left)} was not copied: nothing used it when work began"
        raise failure("not-borrowed", says)


def _sites(layer: Layer) -> list[str]:
    """The live folders an installation's copy was chosen from; none for a venv's."""
    sites = [target for target, inner in layer.aliases.items() if inner != "."]
    hidden = [mount.target for mount in layer.mounts if mount.mode == "tmpfs"]
    return [path for path in (*sites, *hidden) if Path(path).is_dir()] if sites else []


def _lacking(layers: Layers, want: Want, key: str) -> tuple[str, ...]:
    """What the recipe wants on every machine and a copy does not have."""
    if want.recipe.kind != "python":
        return ()
    return tuple(sorted(_wanted(want) - layers.store.said(key)["packages"].keys()))


def _wanted(want: Want) -> set[str]:
    """The packages a recipe wants on every machine."""
    lines = {named(line) for line in want.recipe.wants if ";" not in line}
    return lines - {"", want.recipe.name} - {project.name for project in want.recipe.projects}


def _beside(layers: Layers, want: Want, layer: Layer) -> Layer:
    """Add tools of other ecosystems, and the repository's own venv by its path."""
    have = {one.name for one in layer.tools}
    lacks = [name for name in want.named.tools if name not in have]
    tools = [_tool(layers, name, root=want.root, live=want.live) for name in lacks]
    have = {*have, *lacks}
    tools += _perhaps(layers, want.named.perhaps, root=want.root, have=have, live=want.live)
    python = _python(layers, want)
    places = [layer.env["PATH"]] if "PATH" in layer.env else []
    places += [python.env["PATH"]] if python else []
    places += [str(one.program.parent) for one in tools if not _is_seen(one)]
    lent = python or layer
    own = _own_venvs(want) if lent.recipe.kind == "python" else {}
    mounts = [mount for one in tools for mount in one.mounts]
    mounts += [
        Mount(lent.folder / "env", at, "ro", root=lent.folder)
        for at in own
        if at not in lent.aliases
    ]
    found = layer._replace(
        mounts=(*layer.mounts, *(python.mounts if python else ()), *mounts),
        env={**layer.env, "PATH": ":".join(dict.fromkeys(places))} if places else layer.env,
        tools=(*layer.tools, *(python.tools if python else ()), *tools),
        aliases={**own, **lent.aliases, **layer.aliases},
        notes=(*layer.notes, *(python.notes if python else ())),
    )
    return found._replace(notes=(*found.notes, *_unseen(want, found)))


def _perhaps(
    layers: Layers, names: Iterable[str], *, root: str, have: set[str], live: bool = False
) -> list[Tool]:
    """Those of these tools that are to be had."""
    found: list[Tool] = []
    for name in names:
        if name not in have:
            with suppress(CouldNotVerify):
                found.append(_tool(layers, name, root=root, live=live))
    return found


def _tool(layers: Layers, name: str, *, root: str, live: bool) -> Tool:
    """A tool outside the repository: once work has begun, the one that was found before."""
    if not live and (kept := _kept_tool(layers, name, root=root)):
        return kept
    found = tool(name, layers.search._replace(root=Path(root)))
    if live:
        told = (found.version, str(found.program), str(found.prefix))
        _write(_tool_path(layers, name, root=root), told)
    return found


def _kept_tool(layers: Layers, name: str, *, root: str) -> Tool | None:
    try:
        version, *rest = json.loads(_tool_path(layers, name, root=root).read_bytes())
        program, prefix = map(Path, rest)
    except (OSError, ValueError, TypeError):
        return None
    found = Tool(name, version, program, prefix, mounts_of(name, prefix))
    found = narrowed(found, home=layers.search.home, root=Path(root))
    return found if program.is_file() else None


def _tool_path(layers: Layers, name: str, *, root: str) -> Path:
    return layers.cache / "beside" / f"{digest({'root': root, 'tool': name})}.json"


def _is_seen(one: Tool) -> bool:
    """Whether every sandbox finds a tool by its name."""
    there = shutil.which(one.name, path=sandbox_root.PATH)
    return there is not None and Path(there).resolve() == one.program.resolve()


def _python(layers: Layers, want: Want) -> Layer | None:
    """The Python that commands call in a repository of another kind, with what is used of it.

    Where that cannot be had it is given as it is, with its own library and no packages.
    """
    if want.recipe.kind == "python" or not _lacks_python(layers, want):
        return None
    recipe = beside(want.recipe, want.named)
    second = want._replace(
        asked=beside(want.recipe, Mention()).key,
        recipe=recipe,
        named=want.named._replace(modules=want.named.runners),
        extra=True,
    )
    rungs: list[Rung] = [_borrowed, _prepared if recipe.wants else _plain]
    try:
        return _first(layers, second, rungs, outside=_chosen(layers, second))
    except CouldNotVerify as error:
        if want.named.modules:
            raise
        note = f"Python is given without packages: {error.message}."
    with suppress(CouldNotVerify):
        return _plain(layers, second, None, [])._replace(notes=(note,))
    return None


def _lacks_python(layers: Layers, want: Want) -> bool:
    """Whether a Python is called that no sandbox shows by itself; as it was before work began."""
    called = bool(want.named.pythons)
    if want.live and called:
        _perhaps(layers, ("python",), root=want.root, have=set(), live=True)
    elif called and (kept := _kept_tool(layers, "python", root=want.root)):
        is_lent = _read(_path(layers, beside(want.recipe, want.named), root=want.root)) is not None
        return is_lent or not any(map(kept.prefix.is_relative_to, SEEN))
    return any(_calls_python(layers, want))


def _calls_python(layers: Layers, want: Want) -> Iterator[bool]:
    """For each Python that is called, or named by its path, whether it is another's."""
    for word in want.named.pythons:
        mine = shutil.which(word, path=layers.search.path)
        there = shutil.which(word, path=sandbox_root.PATH)
        if mine:
            place, seen = Path(mine), Path(there).resolve() if there else None
            yield place.resolve() != seen or is_venv(place.parent.parent)
    for path in want.named.programs:
        yield bool(PYTHON.search(path.name)) and not any(map(path.is_relative_to, SEEN))


def _plain(layers: Layers, want: Want, _: Installed | None, __: list[CouldNotVerify]) -> Layer:
    """An interpreter with its own library and no packages."""
    python = _tool(layers, "python", root=want.root, live=want.live)
    key = digest({"plain": (python.version, str(python.program)), "machine": machine()})

    def fill(folder: Path) -> dict[str, object]:
        view.bare(folder / "env", python)
        return {"packages": {}}

    layers.store.obtain(key, fill)
    env = layers.store.folder(key) / "env"
    mounts = (*python.mounts, Mount(env, str(env), "ro"))
    path = {"PATH": str(env / "bin")}
    return Layer(key, env.parent, want.recipe, mounts, path, tools=(python,))


def _own_venvs(want: Want) -> dict[str, str]:
    """Venvs of the work tree that commands name by path: the layer stands there instead."""
    root = Path(want.root)
    inside = {path.parent.parent for path in want.named.programs if path.is_relative_to(root)}
    return {str(place): "." for place in sorted(inside) if is_venv(place)}


def _unseen(want: Want, layer: Layer) -> list[str]:
    """Programs named by path that no run will find."""
    seen = (want.root, *SEEN, *layer.aliases, *(m.target for m in layer.mounts))
    lost = [path for path in want.named.programs if not any(map(path.is_relative_to, seen))]
    return [f"{path} is not in the judge; install it under /usr." for path in lost]


def _path(layers: Layers, recipe: Recipe, *, root: str) -> Path:
    name = digest({"root": root, "subproject": recipe.subproject, "kind": recipe.kind})
    return layers.cache / "borrowed" / f"{name}.json"


def _pin(layers: Layers, want: Want) -> Pin | None:
    return _read(_path(layers, want.recipe, root=want.root))


def pinned(path: Path) -> str | None:
    """The copy that a pin names."""
    found = _read(path)
    return found.key if found else None


def _read(path: Path) -> Pin | None:
    try:
        key, recipe, why, lacking = json.loads(path.read_bytes())
        return Pin(key, recipe, why, tuple(lacking))
    except (OSError, ValueError, TypeError):
        return None


def _write(path: Path, pin: tuple[object, ...]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(pin), encoding="utf-8")
    fresh.replace(path)
