"""What installers say when they fail, as they said it, and what it means."""

from __future__ import annotations

import pytest

from forsooth.judge.environment.failure import classify, excerpt, failure, of_output
from forsooth.judge.sandbox.job import Done

SAID = [
    ("Because docopt==0.6.2 has no usable wheels and you require docopt", "needs-build", "docopt"),
    ("hint: Wheels are required for `docopt` because building", "needs-build", "docopt"),
    ("Because there is no version of pluggy==99.1 and", "pin-unavailable", "pluggy"),
    ("Because nosuch was not found in the package registry", "pin-unavailable", "nosuch"),
    ("you require pluggy<0.5 and pluggy>=1, which are incompatible", "conflict", "pluggy"),
    ("Failed to download and build `x @ git+https://h/y`\n Git operation", "vcs-dependency", "x"),
    ("Hash mismatch for `pluggy==1.5.0`", "hash-mismatch", "pluggy"),
    (
        "npm error notarget No matching version found for minimist@99.0.0.",
        "pin-unavailable",
        "minimist",
    ),
    (
        "npm error 404  The requested resource '@a/b@1' could not be found",
        "pin-unavailable",
        "@a/b",
    ),
    ("npm error An unknown git error occurred", "vcs-dependency", ""),
    ("ERESOLVE unable\n While resolving: x@1.0", "conflict", "x"),
    (
        "package-lock.json are in sync. Please update\n Missing: a@1.2.8 from lock file",
        "lock-stale",
        "a",
    ),
    ("error Your lockfile needs to be updated", "lock-stale", ""),
    ("specifiers in the lockfile ({}) don't match specs", "lock-stale", ""),
    (
        "go: github.com/pkg/errors@v0.99.9: reading x: 403",
        "pin-unavailable",
        "github.com/pkg/errors",
    ),
    ("go: go.mod requires go >= 1.99 (running go 1.26)", "tool-missing", "go >= 1.99"),
    ("missing go.sum entry for module providing package a.b/c", "no-lock", "a.b/c"),
    ('failed to select a version for the requirement `itoa = "^99"`', "pin-unavailable", "itoa"),
    ("no matching package named `nosuch` found", "pin-unavailable", "nosuch"),
    ("cannot update the lock file Cargo.lock because --locked", "lock-stale", ""),
    ("Could not find artifact junit:junit:jar:99.1 in central", "pin-unavailable", "junit:junit"),
    ("error trying to connect: dns error", "no-network", ""),
    ("something else", "install-failed", ""),
]


@pytest.mark.parametrize(("text", "why", "package"), SAID, ids=[row[0][:40] for row in SAID])
def test_an_installers_words_give_a_reason_and_a_package(text, why, package):
    """A person reads which package is to blame, not a log."""
    assert classify(text) == (why, package)


def ended(how: str = "exit", stderr: bytes = b"") -> Done:
    return Done(1, None, how, b"", stderr, 1.0, None)


def test_every_failure_has_a_code_and_a_remedy():
    """Never a bare log, never a fail of the work."""
    error = of_output(ended(stderr=b"Because a==1 has no usable wheels"), ("uv", "pip", "sync"))
    assert error.code == "environment:needs-build"
    assert 'allow = ["a"]' in error.hint
    assert "(a)" in error.message


def test_a_timeout_is_said_as_one():
    """What did not finish is not what was refused."""
    assert of_output(ended("timeout"), ("npm", "ci")).code == "environment:timeout"


def test_passwords_in_addresses_and_colours_are_not_shown():
    """An index address may carry somebody's token."""
    error = of_output(ended(stderr=b"\x1b[31mGET https://me:secret@host/x"), ("uv",))
    assert "secret" not in error.message
    assert "\x1b" not in error.message


def test_a_remedy_can_be_given():
    """A tool that is missing is installed in its own way."""
    assert failure("tool-missing", "no uv", remedy="pip install uv").hint == "pip install uv"


NPM = """\
npm error code EUSAGE
npm error
npm error `npm ci` can only install packages when package.json and lock are in sync.
npm error
npm error Missing: ms@2.1.3 from lock file
npm error Missing: zod@3.0.0 from lock file
npm error
npm error Clean install a project
npm error
npm error Usage:
npm error npm ci
npm error
npm error aliases: clean-install, ic, install-clean, isntall-clean
npm error
npm error Run "npm help ci" for more info
npm error A complete log of this run can be found in: /x/debug-0.log
"""


def test_the_line_that_says_why_is_shown_and_not_the_installers_help():
    """What is missing from the lock is named, whatever is printed after it."""
    says = excerpt(NPM)
    assert says == (
        "npm error Missing: ms@2.1.3 from lock file / npm error Missing: zod@3.0.0 from lock file"
    )
    assert excerpt("one\n\ntwo\nnpm error Usage:\n") == "one / two"
