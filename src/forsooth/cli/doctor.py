"""`forsooth doctor`: what there is to judge with, and what is missing."""

from __future__ import annotations

import shlex

import click

from forsooth.cli import options, show


@click.command()
@options.as_json
def command(*, as_json: bool) -> None:
    """Say what the judge would run on here; nothing of the repository is run."""
    found = options.project().survey()
    recipe = found.recipe
    if as_json:
        show.data(
            {
                "isolation": found.tier,
                "notes": list(found.notes),
                "lacks": [lack._asdict() for lack in found.lacks],
                "environment": recipe.plain(),
                "tools": list(found.tools),
                "lacking": list(found.lacking),
                "cache": str(found.cache),
            }
        )
        return
    rows: list[show.Line] = [(f"sandbox      {found.tier}", "bold")]
    rows += [f"             {note}" for note in found.notes]
    for lack in found.lacks:
        rows.append((f"             no {lack.tier}: {lack.why}", "yellow"))
        rows.append(f"               try: {lack.fix}")
    rows.append((f"environment  {recipe.kind} {recipe.manager}".rstrip(), "bold"))
    rows += [f"             {told}" for told in recipe.explains]
    rows += [(f"             missing: {told}", "yellow") for told in recipe.missing]
    rows += [f"             {told}" for told in found.tools]
    rows += [(f"             missing: {told}", "yellow") for told in found.lacking]
    if recipe.test_command:
        rows.append(f"tests        {shlex.join(recipe.test_command)}")
    rows.append(f"cache        {found.cache}")
    show.lines(rows)
