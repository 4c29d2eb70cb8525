"""From a recipe to a layer: prepared once for each key, kept, and let go when room is needed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment import disk, ladder
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.mention import Called, mention, wanting
from forsooth.judge.environment.prepare import build, cargo, custom, go, maven, node, python
from forsooth.judge.environment.prepare.step import Checkout, Workshop
from forsooth.judge.environment.prepare.uv import REMEDY
from forsooth.judge.environment.recipe import Project, Recipe, digest
from forsooth.judge.environment.store import Store
from forsooth.judge.environment.toolchain import Search, Tool, machine, program, tool
from forsooth.judge.environment.warm import Warm
from forsooth.judge.sandbox.job import Mount, Sandbox

TOOLS: Mapping[str, tuple[str, ...]] = {
    "python": ("python",),
    "node": ("node",),
    "go": ("go",),
    "cargo": ("cargo",),
    "maven": ("mvn", "java"),
}
INSTALLERS = {"python": "uv", "node": "npm"}
VERSIONED = {"python", "node", "go", "cargo", "java"}


class Equipment(NamedTuple):
    """Tools that were found, and what is lacking with what to do about it."""

    tools: tuple[str, ...]
    lacking: tuple[str, ...]


class Layers:
    """The layers of one cache folder. As a context, everything handed out stays until its end.

    The folder is shared by all repositories of an account. A layer is shared where every byte of it
    was fixed by digests that a lock gives; any other is the repository's own. `online` where the
    user's own settings let the commands of forsooth.toml have a network.
    """

    def __init__(
        self,
        cache: Path,
        *,
        search: Search,
        settings: Mapping[str, str] | None = None,
        seconds: float = 900.0,
        online: bool = False,
    ) -> None:
        self.cache = cache = cache.resolve()
        self.search = search
        self.settings = dict(settings or {})
        self.seconds = seconds
        self.online = online
        self.store = Store(cache / "layers")
        self.warm = Warm(cache / "warm")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.store.close()

    def tools(self, recipe: Recipe) -> tuple[Tool, ...]:
        """The real programs this recipe needs, in the versions it asks for."""
        kind = recipe.manager if recipe.kind == "custom" else recipe.kind
        names = TOOLS.get(kind, ())
        return tuple(
            tool(name, self.search, wanted=recipe.interpreter if name in VERSIONED else "")
            for name in names
        )

    def key(
        self,
        recipe: Recipe,
        tools: tuple[Tool, ...],
        allow: tuple[str, ...] = (),
        *,
        root: str,
        base: str = "",
    ) -> str:
        """The whole key: what the recipe reads, the toolchain, the platform, what may run, and
        whose layer it is where digests do not fix what is in it. What commands of forsooth.toml
        leave is fixed by nothing but the tree they ran in, so it belongs to one base.
        """
        versions = [(one.name, one.version, str(one.prefix)) for one in tools]
        parts = {"recipe": recipe.key, "tools": versions, "machine": machine()}
        if recipe.kind == "custom":
            return digest({**parts, "owner": root, "base": base, "online": self.online})
        owner = "" if recipe.hashed and not allow else root
        return digest({**parts, "allow": sorted(allow), "owner": owner})

    def of(
        self,
        recipe: Recipe,
        *,
        source: Path,
        root: str,
        sandbox: Sandbox,
        allow_scripts: tuple[str, ...] = (),
        at: int | None = None,
        seconds: float | None = None,
        base: str = "",
        base_source: Checkout | None = None,
    ) -> Layer:
        """The layer of a recipe. `source` is a checkout to read, `root` where runs see it, `base`
        the tree whose runs may fill build caches, and `base_source` gives a checkout of that.
        """
        if recipe.kind == "none":
            return Layer(recipe.key, self.cache, recipe, how="none")
        tools = self.tools(recipe)
        key = self.key(recipe, tools, allow_scripts, root=root, base=base)
        shop = self._shop(key, source, sandbox=sandbox, allow=allow_scripts)
        shop = shop._replace(at=at, seconds=seconds or self.seconds, base=base_source)
        said = self.store.obtain(key, self._filler(shop, recipe, tools, root=root))
        layer = self._layer(key, recipe, tools, said=said, root=root)
        owner = digest({"root": root, "base": base}) if base else ""
        return self.warm.seen(layer._replace(floor=self._floor(recipe, tools, shop), owner=owner))

    def _floor(self, recipe: Recipe, tools: tuple[Tool, ...], shop: Workshop) -> Path | None:
        """What a toolchain compiles for every program; runs do without where it cannot be made."""
        if recipe.kind != "go":
            return None
        versions = [(one.name, one.version, str(one.prefix)) for one in tools]
        key = digest({"standard": versions, "machine": machine()})
        with suppress(CouldNotVerify):
            self.store.obtain(
                key, lambda folder: go.fill_standard(shop._replace(folder=folder), tools)
            )
            return self.store.folder(key) / "cache"
        return None

    def furnish(
        self,
        recipe: Recipe,
        *,
        source: Path,
        root: str,
        sandbox: Sandbox,
        argvs: Iterable[tuple[str, ...]] = (),
        called: Called | None = None,
        live: bool = True,
        at: int | None = None,
        seconds: float | None = None,
        allow_scripts: tuple[str, ...] = (),
        base: str = "",
        base_source: Checkout | None = None,
    ) -> Layer:
        """The layer for these commands and what they call: prepared, else borrowed, else an error.

        `live` says that no agent has worked yet, so that what is installed here may be copied;
        without it only a copy made then is used. Versions nobody locked are chosen as of `at`,
        in seconds since 1970. `base` and `base_source` as in `of`.
        """
        named = mention(argvs, root=root, called=called)
        want = ladder.Want(
            asked=recipe.key,
            recipe=wanting(recipe, named),
            named=named,
            source=source,
            root=root,
            sandbox=sandbox,
            live=live,
            allow=allow_scripts,
            at=at,
            seconds=seconds or self.seconds,
            base=base,
            base_source=base_source,
        )
        return ladder.furnish(self, want)

    def key_of(
        self,
        recipe: Recipe,
        *,
        root: str,
        argvs: Iterable[tuple[str, ...]] = (),
        called: Called | None = None,
    ) -> str:
        """What a finding rests on beside its tree: environment, toolchain and platform."""
        return ladder.key_of(self, recipe, root=root, argvs=argvs, called=called)

    def equipment(self, recipe: Recipe) -> Equipment:
        """The tools this recipe would be furnished with, and what is missing for it."""
        try:
            tools = tuple(f"{one.name} {one.version}, {one.prefix}" for one in self.tools(recipe))
        except CouldNotVerify as error:
            return Equipment((), (f"{error.message}; {error.hint}",))
        installer = INSTALLERS.get(recipe.kind, "")
        if not installer or program(installer, self.search):
            return Equipment(tools, ())
        remedy = REMEDY if installer == "uv" else f"install {installer}"
        says = f"{installer} is not installed, so dependencies are copied from what is; {remedy}"
        return Equipment(tools, (says,))

    @contextmanager
    def filling(self, layer: Layer) -> Generator[Layer]:
        """The layer for a run of the base, whose build caches later runs start from."""
        own = self.store.said(layer.key).get("own", ())
        with self.warm.filling(layer, tidy=lambda folder: cargo.forget(folder, own)) as base:
            yield base

    def build_layer(
        self,
        project: Project,
        python_tool: Tool,
        *,
        source: Checkout,
        root: str,
        sandbox: Sandbox,
        allow: tuple[str, ...] = (),
    ) -> Path:
        """The environment a project is built in, apart from the one it is tested in.

        Its backend has a say in what is in it, so it is the repository's own.
        """
        version = (python_tool.version, str(python_tool.prefix))
        key = digest(
            {
                "build": project.build.key,
                "python": version,
                "machine": machine(),
                "allow": sorted(allow),
                "owner": root,
            }
        )

        def fill(_: Path) -> dict[str, Any]:
            shop = self._shop(key, source(), sandbox=sandbox, allow=allow)
            return dict(build.fill(shop, project, python_tool))

        self.store.obtain(key, fill)
        return self.store.folder(key) / "env"

    def parts(self, *, needs: Callable[[str], bool]) -> Iterator[disk.Part]:
        """What is kept for every repository, as parts that can go; `needs` as in `disk.layers`."""
        alive = {layer.key for layer in self.store.kept()}
        for path in (self.cache / "borrowed").glob("*.json"):
            if (ladder.pinned(path) or "") not in alive:
                path.unlink(missing_ok=True)
        yield from disk.layers(self.store, self.warm, needs=needs)
        yield from disk.downloads(self.cache / "downloads")
        for name in ("pins", "beside"):
            yield from disk.files("pins", self.cache / name, "*", lasting=True)

    def _shop(
        self, key: str, source: Path, *, sandbox: Sandbox, allow: tuple[str, ...]
    ) -> Workshop:
        return Workshop(
            folder=self.store.folder(key),
            source=source,
            sandbox=sandbox,
            search=self.search,
            downloads=self.cache / "downloads",
            settings=self.settings,
            allow=allow,
            seconds=self.seconds,
            pins=self.cache / "pins" / key,
            online=self.online,
        )

    def _filler(
        self, shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...], *, root: str
    ) -> Callable[[Path], dict[str, Any]]:
        fillers: dict[str, Callable[..., dict[str, object]]] = {
            "python": python.fill,
            "node": node.fill,
            "go": go.fill,
            "cargo": cargo.fill,
            "maven": maven.fill,
            "custom": partial(custom.fill, root=root),
        }
        return lambda folder: fillers[recipe.kind](shop._replace(folder=folder), recipe, tools)

    def _layer(
        self,
        key: str,
        recipe: Recipe,
        tools: tuple[Tool, ...],
        *,
        said: Mapping[str, Any],
        root: str,
    ) -> Layer:
        folder = self.store.folder(key)
        bound = tuple(mount for one in tools for mount in one.mounts)
        warm = self._warm(key, recipe, root=root)
        own, env = self._seen(folder, recipe, tools, warm=warm, root=root)
        places = [env["PATH"]] if "PATH" in env else []
        places += [str(one.program.parent) for one in tools if one.name != "python"]
        if places:
            env = {**env, "PATH": ":".join(dict.fromkeys(places))}
        listed = {name: tuple(found) for name, found in said.get("packages", {}).items()}
        mounts = (*bound, *own)
        return Layer(key, folder, recipe, mounts, env, "prepared", tools, warm, (), listed)

    def _warm(self, key: str, recipe: Recipe, *, root: str) -> dict[str, str]:
        if recipe.kind == "go":
            return {"go": str(self.warm.root / key / "seen")}
        if recipe.kind == "cargo":
            return {"target": "/".join(filter(None, (root, recipe.members[0], "target")))}
        return {}

    def _seen(
        self,
        folder: Path,
        recipe: Recipe,
        tools: tuple[Tool, ...],
        *,
        warm: Mapping[str, str],
        root: str,
    ) -> tuple[tuple[Mount, ...], Mapping[str, str]]:
        match recipe.kind:
            case "python":
                return python.mounts(folder), python.environment(folder)
            case "node":
                return node.mounts(folder, recipe, root=root), node.environment(recipe, root=root)
            case "go":
                return go.mounts(folder), go.environment(folder, cache=warm["go"])
            case "cargo":
                return cargo.mounts(folder, recipe, root=root), cargo.environment(folder)
            case "maven":
                return maven.mounts(folder), maven.environment(folder, java=tools[-1].prefix)
            case _:
                return custom.mounts(folder, recipe, root=root), {}
