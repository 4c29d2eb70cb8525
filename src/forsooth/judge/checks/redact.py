"""Takes secrets out of output before it is kept, and caps it. What is taken out is kept nowhere.

The shapes are the common ones: a secret of no known shape is not found. The result never grows.
"""

from __future__ import annotations

import re

CAP = 1 << 20
_HEAD = CAP // 4
_MASK = b"***"

_KEY = rb"-----%s [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BLOCK = re.compile(_KEY % b"BEGIN" + rb".*?(?:" + _KEY % b"END" + rb"|\Z)", re.DOTALL)
_REST_OF_BLOCK = re.compile(rb"\A[A-Za-z0-9+/=\s]{0,20000}" + _KEY % b"END")
_TOKEN = re.compile(
    rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[\w-]{20,255}"
    rb"|sk-[\w-]{20,255}|xox[abeoprs]-[\w-]{10,255}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{35}"
    rb"|npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,255}|hf_[A-Za-z0-9]{30,255}|ya29\.[\w-]{20,255}"
    rb"|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,255}|SG\.[\w-]{16,64}\.[\w-]{16,64}"
    rb"|eyJ[\w-]{4,4000}\.[\w-]{4,4000}\.[\w-]{0,4000})"
)
_BEARER = re.compile(rb"(\b(?:Bearer|Basic)\s{1,4})[\w.~+/=-]{12,4000}", re.IGNORECASE)
_LOGIN = re.compile(
    rb"(\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:)[^\s/@]{3,200}(?=@)", re.IGNORECASE
)
_NAMED = (
    rb"(\b[A-Z0-9_]{0,40}(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|PRIVATE_?KEY"
    rb"|ACCESS_?KEY|CREDENTIALS?)[A-Z0-9_]{0,40}\\{0,3}['\"]?[ \t]{0,3}[=:][ \t]{0,3}%s)"
)
# Output inside a report is escaped once more: a backslash may stand before a quote or end a line.
_QUOTED = re.compile(_NAMED % rb"\\{0,3}['\"]" + rb"[^'\"\n\\]{3,4000}", re.IGNORECASE)
_BARE = re.compile(_NAMED % b"" + rb"(?:[^\s'\"\\]|\\[^nrt'\"\\]){4,4000}", re.IGNORECASE)


def redacted(data: bytes) -> bytes:
    """Output as it may be kept: masked, the middle of a long one left out."""
    if len(data) <= CAP:
        return _masked(data)
    head, tail = data[:_HEAD], data[-(CAP - _HEAD) :]
    head, tail = head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :]
    tail = _REST_OF_BLOCK.sub(_MASK, tail)
    note = b"... %d bytes left out ...\n" % (len(data) - len(head) - len(tail))
    return _masked(head) + note + _masked(tail)


def _masked(data: bytes) -> bytes:
    data = _BLOCK.sub(_MASK, data)
    data = _TOKEN.sub(_MASK, data)
    for shape in (_BEARER, _LOGIN, _QUOTED, _BARE):
        data = shape.sub(rb"\1" + _MASK, data)
    return data
