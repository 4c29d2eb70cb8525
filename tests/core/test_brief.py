"""A brief is read as its author meant it, and whatever is wrong with it comes at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forsooth.core.brief.brief import Brief, parse, render, unlined
from forsooth.core.brief.globs import covers
from tests.campaigns import brief_fuzz
from tests.requirements import requirement


def titles(brief: Brief) -> list[str]:
    return [story.title for story in brief.stories]


def codes(brief: Brief) -> list[tuple[int, str]]:
    return [(defect.line, defect.code) for defect in brief.defects]


@requirement("R002", "R003")
@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("@goal: Parse rows", "Parse rows"),
        ("@goal Parse rows", "Parse rows"),
        ("@goal\tParse rows", "Parse rows"),
        ("@goal:Parse rows", "Parse rows"),
        ("@goal:   Parse rows  ", "Parse rows"),
        ("@goal", "Body."),
        ("@goal:", "Body."),
        ("@goal: : odd", ": odd"),
    ],
)
def test_a_delimiter_line_opens_a_story(line, title):
    """`@goal` at column 0, followed by a colon, a space, a tab or nothing, opens a story."""
    brief = parse(f"Before.\n{line}\nBody.\n")
    assert (brief.preamble, titles(brief), brief.defects) == ("Before.", [title], ())


@requirement("R002", "R004")
@pytest.mark.parametrize(
    "line",
    [
        *(
            "@goalish",
            "@goals: x",
            "@goal-foo",
            "@goal.foo",
            "@goal/foo",
            "@Goal: x",
            "@goal\u00a0x",
        ),
        *(" @goal: indented", "\t@goal: x", "see @goal: x", "`@goal: x`", "@goal\u2028x"),
    ],
)
def test_anything_like_a_delimiter_is_body_text(line):
    """A longer word, an indented or a mid-line `@goal` stays in the objective."""
    story = parse(f"@goal: One\nfirst\n{line}\nlast").stories[0]
    assert story.objective == f"first\n{line}\nlast"


@requirement("R005")
def test_the_objective_is_every_line_up_to_the_next_delimiter():
    """Code, quotes, blank lines and indentation are kept as written."""
    body = "  It `runs` \"this\":\n\n    $ echo 'a\\tb' && x\n<b>&amp;</b>"
    brief = parse(f"@goal: One\n\n{body}\n \n@goal: Two\nother\n")
    assert brief.stories[0].objective == body
    assert brief.stories[1].objective == "other"
    assert [story.line for story in brief.stories] == [1, 8]


@requirement("R006")
@pytest.mark.parametrize("body", ["", "\n\n", "\n- [ ] `true`\n", "\nIntent: fix\n"])
def test_a_block_without_prose_uses_its_title_as_objective(body):
    """A title alone, or with criteria alone, is its own objective."""
    story = parse(f"@goal: Only a title{body}").stories[0]
    assert (story.title, story.objective) == ("Only a title", "Only a title")


@requirement("R007", "D11")
@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("Parse rows\nand more", "Parse rows"),
        ("## Parse rows\nand more", "Parse rows"),
        ("```\ncode\n```\nParse rows", "Parse rows"),
        ("```\n\ncode\n```", "code"),
        ("```\n```", "```"),
        ("##\nx", "x"),
        ("##", "##"),
        ("a #\nb", "a #"),
    ],
)
def test_an_empty_title_borrows_the_first_body_line(body, title):
    """The borrowed line also stays in the objective."""
    story = parse(f"@goal\n\n- [ ] `true`\n{body}\n").stories[0]
    assert (story.title, story.objective) == (title, body)


@requirement("R008")
@pytest.mark.parametrize("block", ["@goal", "@goal:", "@goal \t", "@goal:\n\n  \n- [ ] `true`"])
def test_a_block_with_neither_title_nor_body_is_a_defect(block):
    """Nobody can work on a goal that says nothing, so there is no placeholder."""
    brief = parse(f"@goal: One\n{block}\n@goal: Three")
    assert codes(brief) == [(2, "empty-goal")]


@requirement("R009")
def test_text_before_the_first_delimiter_binds_every_goal():
    """The preamble is kept and never becomes a goal."""
    brief = parse("\nKeep it small.\n\n  No new packages.\n\n@goal: One\n")
    assert brief.preamble == "Keep it small.\n\n  No new packages."
    assert titles(brief) == ["One"]


@requirement("R010")
def test_without_a_delimiter_the_whole_brief_is_one_goal():
    """Its title is the first line that says something, its objective everything."""
    brief = parse("\n# Parse rows\n\nAll of them.\n- [ ] `true`\nEnd.\n")
    story = brief.stories[0]
    assert (brief.preamble, titles(brief)) == ("", ["Parse rows"])
    assert story.objective == "# Parse rows\n\nAll of them.\nEnd."
    assert [item.text for item in story.items] == ["`true`"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("- [ ] docs/a.md exists", "docs/a.md exists"),
        ("```criteria\n- {says: ' it holds', check: scope}\n```", "it holds"),
    ],
)
def test_a_brief_of_criteria_alone_takes_its_title_from_the_first(text, title):
    """There is nothing else to call it, and nothing is missing."""
    brief = parse(text)
    assert (titles(brief), brief.defects) == ([title], ())


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "Intent: fix"])
def test_an_empty_brief_is_a_defect(text):
    """A plan needs something to do."""
    assert codes(parse(text)) == [(1, "empty-brief")]


@requirement("D12")
@pytest.mark.parametrize(
    ("opens", "closes"),
    [
        *(("```", "```"), ("~~~", "~~~"), ("```python", "```"), ("   ~~~~ a`b", " ~~~~~~  ")),
        *(("````", "```\n@goal: x\n````"), ("```", "~~~\n@goal: x\n```")),
    ],
)
def test_a_code_fence_never_splits_a_goal(opens, closes):
    """A fence ends at the same character, at least as long; until then all is code."""
    body = f"{opens}\n@goal: Not one\n- [ ] nor this\n{closes}"
    brief = parse(f"@goal: One\n{body}\n@goal: Two\n")
    assert titles(brief) == ["One", "Two"]
    assert brief.stories[0].objective == body
    assert brief.defects == ()


@requirement("D12")
@pytest.mark.parametrize("line", ["    ```", "``` a`b", "``", "\t```"])
def test_what_only_looks_like_a_fence_hides_nothing(line):
    """Four spaces, a backtick in the info string or two backticks make no fence."""
    assert titles(parse(f"@goal: One\n{line}\n@goal: Two")) == ["One", "Two"]


@requirement("D12")
def test_an_unclosed_fence_that_hides_a_goal_names_both_lines():
    """Whoever forgot to close it would otherwise lose a goal in silence."""
    brief = parse("@goal: One\n```\ncode\n@goal: Two\n")
    assert codes(brief) == [(2, "unclosed-fence")]
    assert "line 2" in brief.defects[0].says
    assert "goal on line 4" in brief.defects[0].says
    assert brief.defects[0].fix == "close it with ``` before line 4"


def test_an_unclosed_fence_that_hides_a_criterion_is_a_defect():
    """A criterion that nobody checks is worse than none."""
    brief = parse("@goal: One\n~~~\n\n- [ ] `true`\n")
    assert codes(brief) == [(2, "unclosed-fence")]
    assert "criterion on line 4" in brief.defects[0].says


def test_an_unclosed_fence_that_hides_nothing_is_text():
    """Markdown lets a fence run to the end."""
    brief = parse("@goal: One\n- [ ] `true`\n```\ncode\n")
    assert brief.defects == ()
    assert unlined(parse(render(brief))) == unlined(brief)


@pytest.mark.parametrize("word", ["criteria", "goal"])
def test_an_unclosed_block_of_ours_is_a_defect(word):
    """Its end is where the author stopped meaning it, and only the author knows."""
    assert codes(parse(f"@goal: One\n~~~{word}\nintent: fix\n")) == [(2, "unclosed-fence")]


@requirement("D12")
@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff", "\ufeff\ufeff"])
def test_line_endings_and_byte_order_marks_do_not_matter(ending, mark):
    """The same words give the same brief on every system."""
    lines = ["Before.", "@goal: One", "a", "", "b", "- [ ] `true`", "@goal: Two"]
    assert parse(mark + ending.join(lines)) == parse("\n".join(lines))


def test_characters_that_are_not_text_are_named_by_line():
    """NUL and half surrogate pairs cannot be shown, stored or run."""
    brief = parse("@goal: One\na\x00b\n\ud800")
    assert codes(brief) == [(2, "not-text"), (3, "not-text")]
    assert brief.stories[0].objective == "a\ufffdb\n\ufffd"


@pytest.mark.parametrize(
    "mark", ["- [ ] ", "* [ ] ", "+ [x] ", "   - [X] ", "-   [ ]  ", "1. [ ] ", "2) [ ]\t"]
)
def test_a_task_list_item_is_a_criterion_and_leaves_the_objective(mark):
    """Any task list of Markdown will do, ticked or not."""
    story = parse(f"@goal: One\nbefore\n{mark}docs/a.md exists\nafter").stories[0]
    assert story.objective == "before\nafter"
    assert [draft.says for draft in story.drafts] == ["docs/a.md exists"]


@pytest.mark.parametrize("line", ["- item", "- []  x", "- [ ]x", "    - [ ] x", "-[ ] x"])
def test_any_other_list_stays_in_the_objective(line):
    """Only a task list claims something."""
    story = parse(f"@goal: One\nbefore\n{line}").stories[0]
    assert (story.objective, story.items) == (f"before\n{line}", ())


def test_indented_lines_continue_a_criterion():
    """Two spaces or a tab join; a blank line, a fence or another item ends it."""
    text = '@goal: One\n- [ ] `x` exits 2,\n  stderr has\n\t"a"\n     - [ ] a exists\n\n  prose'
    story = parse(text).stories[0]
    assert [item.text for item in story.items] == ['`x` exits 2, stderr has "a"', "a exists"]
    assert [item.line for item in story.items] == [2, 5]
    assert story.objective == "  prose"
    assert parse("@goal: One\n- [ ] a exists\n  ```\n  code\n  ```").stories[0].drafts


@requirement("R124")
def test_every_defect_comes_at_once_with_line_code_sentence_and_fix():
    """Nobody should have to run a command five times to find five mistakes."""
    brief = parse(
        "- [ ] tests: `pytest`\n@goal\n@goal: Two\n- [ ] looks good\n- [ ] /etc/x exists\n"
        "```criteria\n- says: x\n```\nIntent: bugfix\n- [ ]\n"
    )
    assert codes(brief) == [
        *((1, "in-preamble"), (2, "empty-goal"), (4, "subjective"), (5, "bad-path")),
        *((7, "bad-block"), (9, "bad-attribute"), (10, "empty-item")),
    ]
    assert all(defect.says.endswith(".") and defect.fix for defect in brief.defects)


def test_a_lenient_reading_keeps_unknown_criteria_as_text():
    """A brief written for another tool is never refused for its lists."""
    text = "- [ ] be nice\n@goal: One\n- [ ] the page looks good\n     - [ ] nested\n- [ ] `true`"
    brief = parse(text, lenient=True)
    assert brief.defects == ()
    assert brief.preamble == "- [ ] be nice"
    assert brief.stories[0].objective == "- [ ] the page looks good\n     - [ ] nested"
    assert [draft.says for draft in brief.stories[0].drafts] == ["`true`"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("After: G001", {"depends_on": ["G001"]}),
        ("Depends on: G1, g002 and G003", {"depends_on": ["G001", "G002", "G003"]}),
        ("Intent: fix", {"intent": "fix"}),
        ("intent: Docs  ", {"intent": "docs"}),
        ("Every: 24 hours", {"cadence": 24}),
        ("Every: 1 hour", {"cadence": 1}),
        ("Every: 2 days", {"cadence": 48}),
        ("May change: tests/a.py, tests/b/**", {"may_change": ["tests/a.py", "tests/b/**"]}),
        ("May move: `tests/old/**` and a.py", {"may_move": ["tests/old/**", "a.py"]}),
        ("may remove: tests/a.py.", {"may_remove": ["tests/a.py"]}),
        ("Expects: no-change", {"expects": "no-change"}),
        ("Expects: No change", {"expects": "no-change"}),
        ("Expects: change", {"expects": "change"}),
    ],
)
def test_an_attribute_line_sets_an_attribute_and_leaves_the_objective(line, expected):
    """It is an instruction to us, not to the agent."""
    story = parse(f"@goal: One\nbefore\n{line}\nafter").stories[0]
    assert (story.objective, story.attributes.plain()) == ("before\nafter", expected)


@pytest.mark.parametrize(
    "line",
    [
        *("After: the release, tell people", "Intent: make users happy", "Every: day counts"),
        *("Intent:", " Intent: fix", "My Intent: fix", "Every: "),
        *("May change: we shall see", "Never: do this twice", "Only: once more,", "May move: `a"),
        *("Expects: an error", "Deliver: the goods", "Upstream: all others agree", "Never: say `a"),
    ],
)
def test_a_line_that_is_not_wholly_an_attribute_is_prose(line):
    """A sentence that happens to begin so keeps its place."""
    story = parse(f"@goal: One\nbefore\n{line}\nafter").stories[0]
    assert (story.objective, story.items) == (f"before\n{line}\nafter", ())


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("Intent: bugfix", "Intent: fix"),
        ("Intent: refactoring", "Intent: refactor"),
        ("Every: 0 hours", "Every: 24 hours"),
        ("Every: 3 moons", "Every: 24 hours"),
        ("After: G001, the parser", "After: G001"),
        ("Expects: nothing", "Expects: no-change"),
        ("Deliver: branch", "Deliver: branch main"),
        ("Deliver: branch a b", "Deliver: branch main"),
        ("Deliver: branch -d", "Deliver: branch main"),
        ("Deliver: somewhere", "Deliver: branch main"),
        ("Upstream: a..b", "Upstream: origin/main"),
        ("Suite: all of it passes", "Suite: `pytest -q`"),
        ("Suite: `a` then `b`", "Suite: `pytest -q`"),
        ("Suite: `docs/a.md` exists", "Suite: `pytest -q`"),
    ],
)
def test_an_attribute_with_a_wrong_value_is_a_defect(line, fix):
    """The fix is a line that can be typed."""
    brief = parse(f"@goal: One\n{line}")
    assert [(defect.code, defect.fix) for defect in brief.defects] == [("bad-attribute", fix)]


@pytest.mark.parametrize(
    ("line", "code"),
    [("May change: /etc/x", "bad-path"), ("Only: ../a", "bad-path"), ("Never: ~/x", "bad-path")],
)
def test_a_line_of_paths_may_not_leave_the_repository(line, code):
    """The same as in a sentence; in a brief for another tool it is text."""
    assert codes(parse(f"@goal: One\n{line}")) == [(2, code)]
    assert parse(f"@goal: One\n{line}", lenient=True).stories[0].objective == line


def test_only_and_never_on_a_line_are_the_sentences_of_the_same_meaning():
    """Both give the goal its fence and the criterion that holds it."""
    lines = parse("@goal: One\nOnly: src/**, tests/**\nNever: src/x.py")
    said = parse("@goal: One\n- [ ] only src/**, tests/** change\n- [ ] never touch src/x.py")
    assert lines.stories[0].drafts == said.stories[0].drafts
    assert len(said.stories[0].drafts) == 2


TERMS = "Deliver: branch release\nUpstream: origin/main\nSuite: make test\n"


@pytest.mark.parametrize("text", [TERMS + "@goal: One\n", "One\n\n" + TERMS])
def test_the_whole_plan_is_settled_before_the_first_goal(text):
    """A brief of one goal without a delimiter may say it anywhere."""
    brief = parse(text)
    assert (brief.defects, titles(brief), brief.preamble) == ((), ["One"], "")
    assert brief.stories[0].items == ()
    assert brief.terms.plain() == {
        "deliver": "branch release",
        "upstream": "origin/main",
        "suite": {"kind": "command", "with": {"argv": ["make", "test"]}},
    }
    assert unlined(parse(render(brief))) == unlined(brief)


def test_what_is_about_the_whole_plan_may_not_stand_under_one_of_its_goals():
    """Nor may it be said twice; a foreign brief may say such words and mean others."""
    brief = parse("@goal: One\nDeliver: worktree\n@goal: Two\nSuite: `make`")
    assert codes(brief) == [(2, "in-goal"), (4, "in-goal")]
    twice = "Suite: `a`\n- [ ] stays green: `b`\nDeliver: worktree\nDeliver: worktree\n@goal: One"
    assert codes(parse(twice)) == [(2, "contradiction"), (4, "contradiction")]
    foreign = parse("Suite: the best there is\n@goal: One\nDeliver: worktree", lenient=True)
    assert (foreign.defects, foreign.preamble) == ((), "Suite: the best there is")
    assert foreign.stories[0].objective == "Deliver: worktree"


def test_a_line_of_the_preamble_that_is_wrong_is_told_once():
    """That it stands there is not what is wrong with it."""
    assert codes(parse("Suite: what?\nNever: a/**\n@goal: One")) == [(1, "bad-attribute")]
    assert codes(parse("May change: a\n@goal: One")) == [(1, "in-preamble")]


def test_attributes_add_up_and_may_not_contradict():
    """Lists join; a single value said twice must be the same."""
    brief = parse(
        "@goal: One\nAfter: G002\nAfter: G003, G002\nIntent: fix\nIntent: fix\n"
        "```goal\nintent: docs\ntouch: [src/**]\n```\n"
    )
    assert brief.stories[0].attributes.plain() == {
        "intent": "fix",
        "depends_on": ["G002", "G003"],
        "touch": ["src/**"],
    }
    assert codes(brief) == [(6, "contradiction")]


def test_the_preamble_may_name_the_suite_and_the_fence():
    """What stays green and what may change bind every goal."""
    brief = parse("- [ ] stays green: `make t`\n- [ ] never touch a/**\nText.\n@goal: One")
    assert (brief.preamble, brief.defects) == ("Text.", ())
    assert brief.suite is not None
    assert brief.suite.params == {"argv": ["make", "t"]}
    assert [draft.never for draft in brief.drafts] == [("a/**",)]
    assert parse("@goal: One").suite is None


@pytest.mark.parametrize(
    "item",
    [
        *("- [ ] docs/a.md exists", "Intent: fix", "```goal\nintent: fix\n```"),
        "```criteria\n- {says: x, check: scope, guard: true}\n```",
    ],
)
def test_anything_else_in_the_preamble_belongs_under_a_goal(item):
    """A criterion of no goal would never be judged."""
    brief = parse(f"{item}\n@goal: One")
    assert codes(brief) == [(1, "in-preamble")]


def test_a_second_suite_is_a_defect():
    """A plan keeps one suite green."""
    brief = parse("- [ ] stays green: `a`\n- [ ] stays green: `b`\n@goal: One")
    assert codes(brief) == [(2, "contradiction")]


def test_a_goal_may_narrow_what_the_preamble_lets_change_and_not_widen_it():
    """The preamble binds every goal, so a wider goal is a contradiction to settle first."""
    start = "- [ ] only src/** change\n@goal: One\n"
    assert parse(start + "- [ ] only src/a/** change").defects == ()
    assert codes(parse(start + "- [ ] only docs/** and src/** change")) == [(3, "outside-preamble")]
    assert codes(parse(start + "```goal\ntouch: [docs/**]\n```")) == [(3, "outside-preamble")]
    many = ", ".join(f"a{number}" for number in range(201))
    assert codes(parse(f"- [ ] only {many} change\n@goal: One")) == [(1, "too-long")]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        *(("**", "a/b", True), ("src/**", "src/a/**", True), ("src/**", "srcs/a", False)),
        *(("*.py", "a.py", True), ("*.py", "*.p*", False), ("s*/**", "src/a", True)),
        *(("a", "a", True), ("a", "b", False)),
    ],
)
def test_one_glob_covers_another_only_when_that_is_certain(outer, inner, expected):
    """A wrong yes would let a goal leave its fence."""
    assert covers(outer, inner) is expected


def test_a_brief_is_written_in_its_plainest_form():
    """Items first, then prose; a block's fence is longer than any inside it."""
    text = (
        "Before.\n* [x] stays green: `make`\n@goal\n# One\nIntent: fix\n"
        "~~~criteria\n- {says: '```', check: scope}\n~~~\n+ [ ] a\n  exists\n@goal Two\n"
    )
    written = (
        "- [ ] stays green: `make`\n\nBefore.\n\n@goal: One\nIntent: fix\n"
        "````criteria\n- {says: '```', check: scope}\n````\n- [ ] a exists\n\n# One\n\n@goal: Two\n"
    )
    assert render(parse(text)) == render(parse(written)) == written
    assert unlined(parse(written)) == unlined(parse(text))


@given(st.text(alphabet=st.characters(exclude_categories=()) | st.sampled_from("@goal:`-[] \n")))
def test_no_text_makes_the_reader_raise(text):
    """A brief comes from anyone."""
    brief = parse(text)
    assert brief.stories or brief.defects


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_a_brief_without_defects_reads_the_same_once_written(dice):
    """What `render` writes is what was read, but for line numbers."""
    brief_fuzz.examine(brief_fuzz.brief(dice))


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(10))
def test_fifty_thousand_random_briefs_neither_crash_nor_hang(seed):
    """A tenth of the campaign each, so that two processes share it."""
    report = brief_fuzz.campaign(5_000, seed)
    assert report.crashes == []


@pytest.mark.parametrize(
    "unit",
    ["@goal: x\n", "- [ ] a exists\n", "  x\n", "```\n", "After: G001\n", "- [ ] `", " ", "`"],
)
def test_a_large_brief_is_read_in_time_that_grows_with_its_length(unit):
    """A squared cost would not end within the time limit of a test."""
    text = "@goal: One\n- [ ] a exists\n" + unit * (200_000 // len(unit))
    assert parse(text).stories


def test_the_campaign_makes_briefs_of_every_kind():
    """Some have no defect at all, or the fixed point would never be tried."""
    made = [parse(brief_fuzz.brief(random.Random(number))) for number in range(300)]
    assert {bool(brief.defects) for brief in made} == {True, False}


def test_a_cadence_beyond_the_calendar_is_a_defect():
    """Eleven years between two rounds are enough for anybody."""
    assert [d.code for d in parse("@goal: Water\nEvery: 200000 hours\n").defects] == [
        "bad-attribute"
    ]
    block = "@goal: Water\n```goal\ncadence: 200000\n```\n"
    assert [d.code for d in parse(block).defects] == ["bad-block"]
