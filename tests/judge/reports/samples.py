"""One whole report in each format, as its runner writes it, shortened. Fuzzing starts here."""

from __future__ import annotations

import json

PROBE = b"""\
{"record": "loaded", "runner": "pytest", "version": "9.2.0"}
{"record": "start", "runner": "pytest", "version": "9.2.0"}
{"record": "inventory", "collected": ["t.py::a", "t.py::b", "t.py::c"], "selected": ["t.py::a"]}
{"record": "test", "id": "t.py::a", "outcome": "passed", "reason": "", "seconds": 0.01}
{"record": "test", "id": "t.py::a", "outcome": "error", "reason": "late", "seconds": 0.01}
{"record": "test", "id": "t.py::b", "outcome": "xfailed", "reason": "known", "seconds": 0}
{"record": "test", "id": "t.py::c", "outcome": "skipped", "reason": "not now", "seconds": 0}
{"record": "end", "exit": 1}
"""

JUNIT = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites name="all"><testsuite name="unit" tests="5" failures="1" errors="1" time="0.1">
<properties><property name="a" value="b"/></properties>
<testcase classname="t" name="passes" time="0.001"/>
<testcase classname="t" name="fails" time="1,000.5">
<failure message="1 &lt; 2">long</failure></testcase>
<testcase file="t.py" name="errs">
<system-out>x</system-out><error>no message, only text</error></testcase>
<testcase classname="t" name="skipped"><skipped type="pytest.skip" message="not now"/></testcase>
<testcase classname="t" name="known"><skipped type="pytest.xfail"/></testcase>
<testcase name="unrun" status="notrun"/>
</testsuite></testsuites>
"""

JEST = json.dumps(
    {
        "numTotalTests": 4,
        "success": False,
        "testResults": [
            {
                "name": "/repo/all.test.js",
                "status": "failed",
                "assertionResults": [
                    {
                        "ancestorTitles": ["all"],
                        "title": "passes",
                        "status": "passed",
                        "duration": 3,
                    },
                    {
                        "ancestorTitles": ["all"],
                        "title": "fails",
                        "status": "failed",
                        "failureMessages": ["Error: 1 is not 2\n    at x"],
                    },
                    {"ancestorTitles": [], "title": "later", "status": "todo", "duration": None},
                    {"ancestorTitles": [], "title": "odd", "status": "unheard of"},
                ],
            },
            {"name": "/repo/gone.test.js", "status": "failed", "message": "no such module"},
            {
                "name": "/repo/out.test.js",
                "status": "failed",
                "testExecError": {"message": "out"},
                "assertionResults": [{"title": "x", "status": "passed"}],
            },
            {"name": "/repo/odd.test.js", "status": "failed"},
        ],
    }
).encode()

MOCHA = json.dumps(
    {
        "stats": {"tests": 3, "passes": 1, "pending": 1, "failures": 2},
        "passes": [{"title": "a", "fullTitle": "all a", "file": "/repo/t.js", "duration": 2}],
        "failures": [
            {"title": "b", "fullTitle": "all b", "file": "/repo/t.js", "err": {"message": "no"}},
            {"title": '"before all" hook for "c"', "fullTitle": "", "err": {}},
        ],
        "pending": [{"title": "d", "fullTitle": "all d", "file": "/repo/t.js"}],
    }
).encode()

GO = b"""go: downloading nothing
{"ImportPath":"m/broken","Action":"build-output","Output":"# m/broken\\n"}
{"ImportPath":"m/broken","Action":"build-output","Output":"b_test.go:5: undefined: x\\n"}
{"ImportPath":"m/broken","Action":"build-fail"}
{"Action":"start","Package":"m"}
{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"output","Package":"m","Test":"TestA","Output":"=== RUN   TestA\\n"}
{"Action":"output","Package":"m","Test":"TestA","Output":"    a_test.go:3: one is not two\\n"}
{"Action":"output","Package":"m","Test":"TestA","Output":"    a_test.go:4: nor three\\n"}
{"Action":"fail","Package":"m","Test":"TestA","Elapsed":0.2}
{"Action":"pass","Package":"m","Test":"TestB","Elapsed":0}
{"Action":"skip","Package":"m","Test":"TestC","Elapsed":0}
{"Action":"output","Package":"m","Output":"FAIL\\n"}
{"Action":"fail","Package":"m","Elapsed":0.3}
{"Action":"start","Package":"m/broken"}
{"Action":"fail","Package":"m/broken","Elapsed":0,"FailedBuild":"m/broken"}
{"Action":"start","Package":"m/crash"}
{"Action":"run","Package":"m/crash","Test":"TestOut"}
{"Action":"output","Package":"m/crash","Output":"exit status 3\\n"}
{"Action":"fail","Package":"m/crash","Elapsed":0}
{"Action":"start","Package":"m/none"}
{"Action":"skip","Package":"m/none","Elapsed":0}
"""

LIBTEST = b"""\
{ "type": "suite", "event": "started", "test_count": 4 }
{ "type": "test", "event": "started", "name": "a" }
noise without an end{ "type": "test", "name": "a", "event": "ok" }
{ "type": "test", "name": "b", "event": "failed", "stdout": "b panicked at l:1\\n1 is not 2\\n" }
{ "type": "test", "name": "c", "event": "ignored", "message": "not now" }
{ "type": "test", "name": "d", "event": "failed", "stdout": "said\\nmore\\n", "exec_time": 0.5 }
{ "type": "suite", "event": "failed", "passed": 1, "failed": 2, "ignored": 1, "measured": 0 }
"""

LINES = b"""
running 4 tests
test a ... ok
test b - should panic ... ok
test c ... ignored, not now
test src/lib.rs - two (line 6) ... hello from a test
FAILED

failures:
    src/lib.rs - two (line 6)

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.17s

running 1 test
test src/lib.rs - two (line 9) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
"""

TAP = b"""TAP version 13
1..6
ok 1 passes in 12ms
not ok 2 fails
# (in test file all.bats, line 2)
#   `false' failed
ok 3 skipped # skip (not now)
not ok 4 known # TODO later
ok 5 - mended # todo
    ok 1 - inner
ok
"""
