"""What a runner takes for tests by its own settings."""

from __future__ import annotations

import json

import pytest

from forsooth.judge.patterns import patterns
from forsooth.judge.words import read
from tests.judge.test_oracles import Tree

PRODUCT = ("src/sums.js", "sums.py", "src/main/java/Sums.java")


def taken(files: dict[str, str], argv: str) -> set[str]:
    look = Tree({**dict.fromkeys(PRODUCT, ""), **files})
    found = patterns(read(argv.split(), look).spoken, look)
    return {path for one in found for path in look.paths() if one.takes(path)}


def package(**keys: object) -> str:
    return json.dumps({"scripts": {"test": "jest"}, **keys})


@pytest.mark.parametrize(
    ("path", "argv", "settings"),
    [
        ("a/test.js", "node --test", {}),
        ("a/b-test.mjs", "node --test", {}),
        ("a/b_test.cjs", "node --test", {}),
        ("test-a.js", "node --test", {}),
        ("test/deep/a.js", "node --test", {}),
        ("src/spec.js", "npx jest", {}),
        ("src/__tests__/a.jsx", "npx jest", {}),
        (
            "pruebas/a.js",
            "npx jest",
            {"package.json": package(jest={"testMatch": ["**/pruebas/*.js"]})},
        ),
        (
            "a.check.js",
            "npx jest",
            {"jest.config.js": "module.exports = { testRegex: '\\\\.check\\\\.js$' };"},
        ),
        (
            "a.check.ts",
            "npx jest",
            {"jest.config.ts": "export default { testRegex: [/check\\.ts$/] };"},
        ),
        (
            "src/a/test.ts",
            "npx vitest run",
            {"vitest.config.ts": "{ test: { include: ['src/**/test.ts'] } }"},
        ),
        ("a.spec.tsx", "npx vitest run", {}),
        ("test/a.js", "npx mocha", {}),
        ("x/a.js", "npx mocha", {".mocharc.json": '{"spec": ["x/**/*.js"]}'}),
        ("x/a.js", "npx mocha", {".mocharc.yml": "spec:\n  - 'x/*.js'\n"}),
        ("x/a.js", "npx mocha", {".mocharc.cjs": "module.exports = { spec: 'x' };"}),
        ("x/a.js", "npx mocha x/*.js", {}),
        ("src/test.js", "npx ava", {}),
        (
            "x/a.js",
            "npx ava",
            {"package.json": json.dumps({"ava": {"files": ["x/*.js", "!x/b.js"]}})},
        ),
        ("x/a.js", "npx ava", {"ava.config.js": "export default { files: ['x/*'] };"}),
        ("check_a.py", "pytest", {"pytest.ini": "[pytest]\npython_files = check_*.py\n"}),
        ("check_a.py", "pytest", {"setup.cfg": "[tool:pytest]\npython_files = check_*.py\n"}),
        (
            "x/a.py",
            "pytest",
            {"pyproject.toml": "[tool.pytest.ini_options]\npython_files = 'x/*.py'\n"},
        ),
        ("a_spec.py", "python3 -m unittest discover -p *_spec.py", {}),
        ("x/a_spec.py", "python3 -m unittest discover --pattern=*_spec.py -s x", {}),
        ("src/test/java/A.java", "mvn test", {"pom.xml": "<project/>"}),
        ("x/A.java", "mvn test", {"pom.xml": "<testSourceDirectory>x</testSourceDirectory>"}),
        ("x/AIT.java", "mvn test", {"pom.xml": "<include>**/*IT.java</include>"}),
        ("app/src/test/kotlin/A.kt", "./gradlew test", {}),
        ("src/a/test.ts", "make", {"forsooth.toml": 'tests = ["src/**/test.ts"]\n'}),
    ],
)
def test_a_file_that_the_settings_include_is_a_test(path: str, argv: str, settings: dict[str, str]):
    """And no product file is."""
    found = taken({path: "", **settings}, argv)
    assert path in found
    assert not found.intersection(PRODUCT)


@pytest.mark.parametrize(
    "settings",
    [
        {"package.json": "{", "jest.config.json": "["},
        {"pytest.ini": "python_files", "pyproject.toml": "["},
        {"forsooth.toml": "tests ="},
        {"package.json": package(jest={"testRegex": "("})},
    ],
)
def test_settings_that_cannot_be_read_include_nothing(settings: dict[str, str]):
    """They are no reason to fail: the runner's report says which files hold tests."""
    for argv in ("npx jest", "pytest", "make"):
        assert "src/sums.js" not in taken(settings, argv)
