"""One kind of proof a file; each is loaded when a criterion asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from pydantic import ValidationError

from forsooth.core import check as core
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify
from forsooth.judge.checker import Context
from forsooth.judge.checks.found import found


class Kind(NamedTuple):
    """What a kind takes, and the module whose `run` performs it."""

    params: type[core.Params]
    module: str


KINDS: Mapping[str, Kind] = {
    name: Kind(params, f"{__name__}.{name}") for name, params in core.KINDS.items()
}


def judged(ctx: Context) -> Finding:
    """What the criterion's own check finds; what cannot be evaluated is an error, never a pass."""
    kind = KINDS.get(ctx.criterion.check.kind)
    if kind is None:
        return found(ctx, "error", "unknown-kind", f"no check is called {ctx.criterion.check.kind}")
    try:
        params = kind.params.of(ctx.criterion.check.params)
    except ValidationError as error:
        return found(ctx, "error", "bad-check", str(error.errors()[0]["msg"]))
    try:
        return import_module(kind.module).run(params, ctx)
    except CouldNotVerify as error:
        return unevaluated(ctx, error)


def unevaluated(ctx: Context, error: CouldNotVerify) -> Finding:
    """What kept a check from being evaluated, and what would mend that."""
    hint = f"; {error.hint}" if error.hint else ""
    return found(ctx, "error", error.code, f"{error.message}{hint}")
