"""The command line called in this process, where a test asks many small things of it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from forsooth.cli.main import run
from tests.e2e.place import Answer, Place


class Inside:
    """A place whose command line is a function call."""

    def __init__(
        self, place: Place, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self.place, self._capsys, self._patch = place, capsys, patch
        for name in set(os.environ) - {"PATH"}:
            patch.delenv(name)
        for name, value in place.environment().items():
            patch.setenv(name, value)
        self.enter(place)

    def enter(self, place: Place) -> None:
        self._patch.chdir(place.folder)

    def __call__(self, *argv: str, code: int = 0, **env: str) -> Answer:
        """Run with some variables set; the exit code must be `code`."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            done = run(list(argv))
        out, err = self._capsys.readouterr()
        answer = Answer(done, out, err)
        assert done == code, answer
        return answer

    def ask(self, *argv: str, code: int = 0, **env: str) -> Any:
        return self(*argv, "--json", code=code, **env).data

    def codes(self, *argv: str, code: int = 3, **env: str) -> list[str]:
        """The codes of a refusal, or of the one error."""
        error = self.ask(*argv, code=code, **env)["error"]
        return [reason["code"] for reason in error.get("reasons", [error])]
