"""A receipt as other tools read it: in-toto test-result, JUnit XML and SARIF. None is proof.

Views are made from a statement and never read back. What an agent may have written is data:
control characters are taken out of it.
"""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from forsooth.core.strength import WEAK, lacking_phrase
from forsooth.receipts.statement import STATEMENT, Predicate, Proof, Statement

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"

_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]"
)


def plainly(text: str) -> str:
    """Text without what a terminal, a page or a reader's eye would take for something else."""
    return _UNSEEN.sub(" ", text)


def test_result(statement: Statement) -> dict[str, Any]:
    """The in-toto test-result; waivers, reservations and weak contracts are warned of."""
    said = statement.predicate
    rows = {
        name: [one.criterion for one in said.checks if _outcome(one) in outcomes]
        for name, outcomes in (
            ("passedTests", ("pass",)),
            ("warnedTests", ("waived", "reserved")),
            ("failedTests", ("fail", "error")),
        )
    }
    warned = rows["warnedTests"] or said.weak
    worst = "FAILED" if rows["failedTests"] else "WARNED" if warned else "PASSED"
    configuration = [
        {"name": "plan", "digest": {"sha256": said.plan_digest}},
        {"name": "policy", "digest": {"sha256": said.policy_digest}},
    ]
    return {
        "_type": STATEMENT,
        "subject": statement.subject,
        "predicateType": TEST_RESULT,
        "predicate": {"result": worst, "configuration": configuration, **rows},
    }


def _outcome(one: Proof) -> str:
    return "reserved" if one.is_reserved else one.outcome


def junit(statement: Statement) -> str:
    """The checks as test cases, as pytest would write them."""
    said = statement.predicate
    count = {
        outcome: sum(one.outcome == outcome for one in said.checks)
        for outcome in ("fail", "error", "waived")
    }
    head = {
        "name": f"forsooth {said.subject}{' (weak contract)' if said.weak else ''}",
        "tests": len(said.checks),
        "failures": count["fail"],
        "errors": count["error"],
        "skipped": count["waived"],
        "time": _seconds(sum(one.took for one in said.checks)),
        "timestamp": said.at,
    }
    properties = {
        "tree": statement.tree,
        "plan": said.plan_digest,
        "isolation": said.isolation,
        "assurance": said.assurance,
        "contract": "weak" if said.weak else "strong",
    }
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            "<testsuites>",
            f"<testsuite{_attributes(head)}>",
            "<properties>",
            *(f"<property{_attributes({'name': k, 'value': v})}/>" for k, v in properties.items()),
            "</properties>",
            *(_case(one, said) for one in said.checks),
            "</testsuite>",
            "</testsuites>",
            "",
        ]
    )


def _case(one: Proof, said: Predicate) -> str:
    name = f"{one.criterion} {one.says}"
    head = _attributes({"classname": said.subject, "name": name, "time": _seconds(one.took)})
    told = {"type": one.code, "message": one.reason or one.code}
    match one.outcome:
        case "pass" if one.is_reserved:
            inner = f"<system-out>{escape(plainly(one.reason))}</system-out>"
        case "pass":
            return f"<testcase{head}/>"
        case "waived":
            why = f"{one.waiver.by}: {one.waiver.reason}" if one.waiver else one.code
            inner = f"<skipped{_attributes({'message': f'waived by {why}'})}/>"
        case "fail":
            inner = f"<failure{_attributes(told)}/>"
        case _:
            inner = f"<error{_attributes(told)}/>"
    return f"<testcase{head}>{inner}</testcase>"


def _attributes(values: dict[str, Any]) -> str:
    return "".join(f" {name}={quoteattr(plainly(str(value)))}" for name, value in values.items())


def _seconds(took: int) -> str:
    return f"{took // 1000}.{took % 1000:03d}"


def sarif(statement: Statement) -> dict[str, Any]:
    """What deserves eyes: failures are errors, reservations warnings, the rest notes."""
    said = statement.predicate
    results = [row for one in said.checks for row in _results(one, said)]
    whole = [("weak-contract", "warning", WEAK)] if said.weak else []
    whole += [("flag", "note", flag) for flag in said.notes]
    results += _rows(said.subject, said.title, whole, said)
    rules = sorted({row["ruleId"] for row in results})
    driver = {
        "name": "forsooth",
        "version": said.tool.removeprefix("forsooth").strip(),
        "informationUri": "https://forsooth.dev",
        "rules": [{"id": id_, "shortDescription": {"text": id_}} for id_ in rules],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"forsooth/{said.subject}/"},
        "results": results,
    }
    return {"$schema": SARIF, "version": "2.1.0", "runs": [run]}


def _location(criterion: str) -> dict[str, Any]:
    """A criterion lies in no file of the tree; readers that demand one are sent to the settings."""
    file = {"artifactLocation": {"uri": "forsooth.toml"}, "region": {"startLine": 1}}
    return {"physicalLocation": file, "logicalLocations": [{"name": criterion, "kind": "member"}]}


def _results(one: Proof, said: Predicate) -> list[dict[str, Any]]:
    rows: list[tuple[str, str, str]] = []
    if one.outcome in ("fail", "error"):
        rows.append((one.code, "error", one.reason or one.code))
    if one.outcome == "waived":
        by = f"waived by {one.waiver.by}: {one.waiver.reason}" if one.waiver else "waived"
        rows.append(("waived", "warning", by))
    if one.is_reserved:
        rows.append((one.code, "warning", one.reason))
    rows += [("flag", "note", flag) for flag in one.flags]
    rows += [("lacking", "note", lacking_phrase(lack)) for lack in one.lacking]
    return _rows(one.criterion, one.says, rows, said)


def _rows(
    about: str, title: str, rows: list[tuple[str, str, str]], said: Predicate
) -> list[dict[str, Any]]:
    return [
        {
            "ruleId": rule,
            "level": level,
            "message": {"text": plainly(f"{about} {title}: {says}")},
            "locations": [_location(about)],
            "partialFingerprints": {"forsooth/v1": f"{said.plan}/{about}/{rule}/{number}"},
        }
        for number, (rule, level, says) in enumerate(rows)
    ]
