"""What criteria come to call, through makefiles, scripts and the files they name."""

from __future__ import annotations

from forsooth.core.check import Check
from forsooth.core.plan import Criterion
from forsooth.judge.called import called
from forsooth.judge.environment.mention import mention
from tests.judge.checks.place import Tree

FILES = {
    "Makefile": 'check:\n\t@sh ci/run.sh\n\tpytest -q py\n\ttest "$$(node web/x.js)" = 1\n',
    "ci/run.sh": '#!/bin/sh\n[ "$(python3 tools/sum.py)" = 2 ]\n',
    "tools/sum.py": "import subprocess\nsubprocess.run(['cargo', 'run'])\n",
    "aside.sh": "#!/bin/sh\nmvn test\n",
    "py/x.py": "",
}


def of(*argv: str, **more):
    check = Check.model_validate({"kind": "command", "with": {"argv": list(argv), **more}})
    return Criterion(id="G001.C1", says="s", check=check)


def found(*criteria: Criterion):
    return mention((), root="/nowhere", called=called(criteria, Tree(FILES)))


def test_makefiles_and_scripts_are_followed():
    """Also inside quotes, where a plain command is not told apart."""
    seen = found(of("make", "check"))
    assert (set(seen.perhaps), seen.pythons) == ({"node"}, ("python3", "python"))
    assert seen.runners == ("pytest",)


def test_a_file_that_a_command_names_is_read():
    """A script of any language may start another tool; one that nobody names does not count."""
    assert found(of("python3", "sum.py", cwd="tools")).perhaps == ("cargo",)
    assert found(of("sh", "-c", "cd tools && ./sum.py")).perhaps == ("cargo",)


def test_a_file_that_a_criterion_brings_is_read():
    """It lies in no tree yet."""
    assert found(of("sh", "new.sh", files={"new.sh": "node x.js\n"})).perhaps == ("node",)
    assert found(of("true")) == mention((), root="/nowhere")
