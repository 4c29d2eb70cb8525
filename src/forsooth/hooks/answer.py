"""What is answered to each event. Plans are read and never written here; sessions are ours.

Held is only who was armed: by a person's typed word, or by asking for work or claiming it.
"""

from __future__ import annotations

import os

from forsooth.hooks import holding, log, prompts
from forsooth.hooks.board import OVER, Unreadable, sha256
from forsooth.hooks.hosts import NOTHING, NOTICES, Answer
from forsooth.hooks.sessions import TYPED, Session, Sessions, instant, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from forsooth.hooks.board import Board
    from forsooth.hooks.hosts import Event

ARMING = ("next", "done")
TOLD = 600  # bytes that a session is told of what is on disk
ON = "Forsooth is on for this session: done means proven, not said."
PROPOSE = (
    "There is no plan yet. Turn the wish into goals with criteria that fail today and hand them to "
    "the forsooth tool `plan` (or `forsooth plan -`, the brief on standard input). Show the person "
    "what came of it: they change it, or type `seal`. Then `forsooth next` begins the work and "
    "`forsooth done GOAL` has it judged. Only a person can seal."
)
CONFIRM = "Nothing is sealed yet. To seal exactly this plan, type: seal {name}"
OTHER = "That is not the draft that waits now, or it was not shown here before.\n\n"
TOO_LONG = (
    "The plan is too long to be shown here. Type `forsooth seal` in a terminal of your own: it "
    "shows all of it, and asks."
)
SEALING = (
    "The person typed `seal`: the plan is being sealed, which runs its criteria once. "
    "`forsooth next` hands out the first goal when that is over."
)
NO_PERSON = (
    "`seal` does not count here: an agent's shell started this program, so no person can be told "
    "from an agent. The person types `forsooth seal` in a terminal of their own."
)
OFF = "The person stopped Forsooth in this session: nothing is held any more."
UNTIL = {
    "active": "You are held to it until it is proven or needs a person; /forsooth:stop ends that.",
    "draft": "Show it to the person: they change it, or type `seal`. Only a person can.",
}


def answered(event: Event, board: Board, *, now: float, keywords: str) -> Answer:
    """The answer to one event in one work tree at one moment."""
    if not is_name(event.session):
        return NOTHING
    match event.name:
        case "session_start":
            return _started(event, board, now)
        case "prompt":
            return _prompted(event, board, now, keywords)
        case "pre_tool":
            return _calling(event, board)
        case "stop":
            return _stopping(event, board, now)
        case _:  # nothing is asked of what happened already, nor of agents that agents started
            return NOTHING


def _started(event: Event, board: Board, now: float) -> Answer:
    """Tell again what a session that begins, resumes or was compacted cannot know."""
    sessions = Sessions(board.folder)
    sessions.tidy(now)
    if sessions.load(event.session) is None:
        sessions.save(event.session, Session(event.host))
    return Answer(context=_recap(board)) if board.plan else NOTHING


def _recap(board: Board, *, most: int = TOLD) -> str:
    board.read()
    return "" if board.now["status"] in OVER else within(str(board.now["recap"]), most)


def within(text: str, most: int) -> str:
    """Text of at most so many bytes."""
    return text.encode(errors="replace")[:most].decode(errors="ignore")


def _prompted(event: Event, board: Board, now: float, keywords: str) -> Answer:
    """A person's word wins over every hold, and waits for no lock; an agent's is nobody's."""
    if event.agent or event.prompt.lstrip().startswith(NOTICES):
        return NOTHING
    from forsooth.hooks.lineage import agent_shell_above  # noqa: PLC0415

    if agent_shell_above():
        is_seal = prompts.meaning(event.prompt, keywords) == prompts.SEAL
        return Answer(context=NO_PERSON) if is_seal else NOTHING
    sessions = Sessions(board.folder)
    session = sessions.load(event.session)
    if session and session.reason and session.reason == event.prompt.strip():
        return NOTHING  # Gemini hands our own reason back as a prompt
    meant = prompts.meaning(event.prompt, keywords)
    if session and session.armed:
        _heard(event, board, prompts.TALK)  # before anything can fail
    draft = _draft(board) if meant == prompts.SEAL else ""
    if meant == prompts.TALK or (meant == prompts.SEAL and not draft):
        return NOTHING
    if draft and not _is_named(event, session, board):
        return _shown(event, board)
    _heard(event, board, meant)
    if meant == prompts.STOP:
        return Answer(context=OFF)
    if not draft:
        return Answer(context=f"{ON} {_standing(board)}")
    approve(sessions, event.session, board, draft=draft, now=now)
    return Answer(context=SEALING)


def _is_named(event: Event, session: Session | None, board: Board) -> bool:
    """Whether a typed seal names the draft that waits as it was shown in this session."""
    salt = session.shown if session else ""
    is_shown = bool(salt and board.now.get("draft"))
    return is_shown and prompts.name_given(event.prompt) == _name(salt, board)


def _name(salt: str, board: Board) -> str:
    """What a person types for exactly what they were shown.

    It is made of the text itself: where the person saw another text than the one that is there when
    they type the name, the name is another. The salt is new each time, so that no two texts can be
    looked for beforehand that share a name; afterwards it takes four thousand million tries.
    """
    told = (salt, board.plan, str(board.now["proposal"]), str(board.now["draft"]))
    return sha256("\0".join(told).encode(errors="replace"))[: prompts.NAMED]


def _shown(event: Event, board: Board) -> Answer:
    """Show the person the draft itself, and what to type for exactly this one."""
    text = str(board.now.get("draft") or "")
    if not text:
        return Answer(refusal=TOO_LONG)
    with Sessions(board.folder, urgent=True) as sessions:
        session = sessions.load(event.session) or Session(event.host)
        session.shown = os.urandom(8).hex()
        sessions.save(event.session, session)
    other = OTHER if prompts.name_given(event.prompt) else ""
    readable = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
    name = _name(session.shown, board)
    return Answer(refusal=f"{other}plan {board.plan}\n{readable}\n\n{CONFIRM.format(name=name)}")


def _heard(event: Event, board: Board, meant: str) -> None:
    """Keep what a person's word makes of the session."""
    with Sessions(board.folder, urgent=True) as sessions:
        session = sessions.load(event.session) or Session(event.host)
        session.talk()
        if meant == prompts.STOP:
            session.release(TYPED)
        elif meant != prompts.TALK:
            session.arm(board.plan, by_person=True)
        sessions.save(event.session, session)


def _draft(board: Board) -> str:
    """The digest of the draft that waits for a seal, if one does."""
    if not board.plan:
        return ""
    board.read()
    return str(board.now.get("proposal") or "")


def _standing(board: Board) -> str:
    """Where the plan stands, or how to come by one."""
    if not board.plan:
        return PROPOSE
    longest = max(map(len, UNTIL.values()))
    recap = _recap(board, most=TOLD - len(ON) - longest - 3)
    if not recap:
        return PROPOSE
    return f"\n{recap}\n{UNTIL.get(board.now['status'], '')}".rstrip()


def approve(sessions: Sessions, name: str, board: Board, *, draft: str, now: float) -> None:
    """Leave the person's approval of exactly this draft, and start the program that seals it."""
    told = {"nonce": os.urandom(16).hex(), "plan": board.plan, "proposal": draft}
    told["shown"] = str(board.now["draft"])
    path = sessions.path(name, ".approval.json")
    sessions.replace(path, {**told, "at": instant(now)})
    from forsooth.hooks.start import start  # noqa: PLC0415

    start(["seal", "--approved", name], board.top, sessions.path(name, ".sealing"))


def _calling(event: Event, board: Board) -> Answer:
    """Refuse what steers past the plan; count what is let through, and arm who asks for work."""
    sessions = Sessions(board.folder)
    refusal = _fenced(event, board, sessions.load(event.session))
    if refusal:
        return Answer(refusal=within(refusal, TOLD))
    sessions.touch(event.session)
    if board.plan and not event.agent and is_arming(event):
        with sessions:
            session = sessions.load(event.session) or Session(event.host)
            session.arm(board.plan, by_person=False)
            sessions.save(event.session, session)
    return NOTHING


def is_arming(event: Event) -> bool:
    """Whether an agent asks for work or claims it: through our tool, or on a command line."""
    name = event.tool.lower()
    if "forsooth" in name:
        return name.endswith(tuple(f"_{verb}" for verb in ARMING))
    line = event.input.get("command") or event.input.get("cmd") or ""
    words = line.split() if isinstance(line, str) else []
    named = [n for n, word in enumerate(words, 1) if word.rpartition("/")[2] == "forsooth"]
    return any(words[n : n + 1] == [verb] for n in named for verb in ARMING)


def _fenced(event: Event, board: Board, session: Session | None) -> str:
    """Why a call is refused: fences are for armed sessions, a person's words for no model."""
    from forsooth.hooks import fences  # noqa: PLC0415

    if not board.plan:
        return ""
    if session is None or not session.armed:
        return fences.delivering(event)
    if session.plan and board.knows(session.plan):
        board.plan = session.plan
    try:
        board.read()
    except Unreadable:
        board.now = {}  # what is fenced whatever the plan says is fenced still
    return fences.refusal(event, board)


def _stopping(event: Event, board: Board, now: float) -> Answer:
    """Hold the end of a turn, or let it go; either is recorded for a session that was armed."""
    session = Sessions(board.folder).load(event.session)
    if session is None or not session.holdable:
        return NOTHING
    if session.plan and board.knows(session.plan):
        board.plan = session.plan
    if not board.plan:
        return NOTHING
    board.read()
    told = {"at": instant(now), "host": event.host, "event": event.name, "session": event.session}
    why, said = _decided(event, board, now)
    log.record(board.folder, {**told, "what": log.HELD if said else log.LET_GO, "why": said or why})
    return Answer(refusal=said)


def _decided(event: Event, board: Board, now: float) -> tuple[str, str]:
    """Why a turn may end, or the words that hold it, which are counted before they are said."""
    with Sessions(board.folder) as sessions:
        session = sessions.load(event.session)
        if session is None or not session.holdable:
            return "it was let go meanwhile", ""
        seen = [board.size, sessions.calls(event.session)]
        why = holding.against(event, session, board.now, seen=seen, now=now)
        if not why and board.is_awaited:
            why = "a verdict or a seal is on its way"
        if why:
            return why, ""
        said = holding.reason(session, board.now, seen)
        session.held(said, instant(now), seen)
        sessions.save(event.session, session)
    return "", said
