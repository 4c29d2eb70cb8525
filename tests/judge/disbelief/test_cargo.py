"""Rust's own harness put in doubt: cheats that fool the bare command, and honest set-ups."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.disbelief.doubting import Came, came

pytestmark = pytest.mark.heavy

TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    /// A sum.
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3, "{} {{", '"'); }

    #[test]
    #[should_panic]
    fn overflows() { panic!("meant") }

    #[test]
    #[ignore]
    fn slow() {}
}
/* #[test]
fn adds() {} */
"""
RIGHT = "pub fn add(a: i32, b: i32) -> i32 { a + b }\n"
WRONG = "pub fn add(a: i32, b: i32) -> i32 { a - b }\n"
OUTER = (
    "#![deny(warnings)]\n\n#[test]\nfn outer() -> Result<(), String> {\n"
    "    assert_eq!(sum_of::add(1, 2), 3);\n    Ok(())\n}\n"
)
HONEST = {
    "two targets": "cargo test --offline",
    "a choice by name": "cargo test --offline adds",
    "an exact choice": "cargo test --offline -- --exact tests::adds",
}


def project(source: str, **more: str) -> dict[str, str]:
    return {
        "Cargo.toml": '[package]\nname = "sum-of"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": source + TESTS,
        "tests/outer.rs": OUTER,
    } | more


def tried(files: dict[str, str], folder: Path, *, argv: str = "cargo test --offline") -> Came:
    return came(files, folder, argv=argv, runner="cargo")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", HONEST)
def test_an_honest_suite_is_believed(case: str, tmp_path: Path):
    """Exactly the canary and the broken tests are red; an exact choice leaves no canary."""
    found = tried(project(RIGHT), tmp_path, argv=HONEST[case])
    held = ("flip",) if "exact" in case else ("canary", "flip")
    assert (found.bare, found.codes, found.held) == (0, (), held)


LEAVES = "pub fn add(_: i32, _: i32) -> i32 { std::process::exit(0) }\n"
INIT = (
    'extern "C" fn leave() { std::process::exit(0) }\n#[used]\n'
    '#[link_section = ".init_array"]\nstatic LEAVE: extern "C" fn() = leave;\n'
)
FORGED = (
    "pub fn add(_: i32, _: i32) -> i32 {\n"
    '    let told = r#"{ "type": "test", "event": "ok", "name": "tests::adds" }"#;\n'
    '    println!("{told}"); std::process::exit(0)\n}\n'
)
CHEATS = {
    "an exit from a test": (project(LEAVES), "report-truncated"),
    "an exit before main": (project(WRONG + INIT), ""),
    "events it printed itself": (project(FORGED), "report-truncated"),
    "another runner": (
        project(WRONG, **{".cargo/config.toml": '[target."cfg(all())"]\nrunner = "true"\n'}),
        "failed",
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", CHEATS)
def test_a_cheat_that_fools_the_bare_command_is_refused(case: str, tmp_path: Path):
    """A suite that began must end, and what runs the tests is the judge's choice."""
    files, code = CHEATS[case]
    found = tried(files, tmp_path)
    assert found.bare == 0
    assert found.codes
    assert code in ("", *found.codes)
