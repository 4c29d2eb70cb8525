"""What of the machine a sandbox sees: programs, libraries and a short list of settings.

An allow-list: what is not named here or mounted by the job is not there. No key, no account and no
name server of the machine is on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

HOME = "/home/judge"
JUDGE = 1000  # the account that root's job is shown where it may not be root
PATH = "/usr/local/bin:/usr/bin:/bin"
TOP = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = (
    "alternatives",
    "ca-certificates",
    "chromium",
    "chromium.d",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "host.conf",
    "java-*",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "maven",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "postgresql-common",
    "protocols",
    "python3*",
    "services",
    "shells",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
)
HOSTS = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 forsooth\n"


class Entry(NamedTuple):
    """A folder shown read-only, a link kept as the link it is, or a file that is copied."""

    kind: Literal["bind", "link", "copy"]
    source: str
    target: str


def entries(root: Path = Path("/")) -> tuple[Entry, ...]:
    """The machine's programs and settings, as far as they exist."""
    named = [(root / name.lstrip("/"), name) for name in TOP]
    etc = root / "etc"
    named += [
        (path, f"/etc/{path.relative_to(etc).as_posix()}")
        for name in SETTINGS
        for path in sorted(etc.glob(name))
    ]
    found = [_entry(path, target, usr=root / "usr") for path, target in named]
    return tuple(entry for entry in found if entry is not None)


def _entry(path: Path, target: str, *, usr: Path) -> Entry | None:
    """A link into /usr stays a link: libraries read a time zone's name from it."""
    if path.is_symlink() and path.resolve().is_relative_to(usr.resolve()):
        return Entry("link", str(path.readlink()), target)
    if path.is_file():
        return Entry("copy", str(path), target)
    return Entry("bind", str(path.resolve()), target) if path.is_dir() else None


def furnish(folder: Path, entries: tuple[Entry, ...], *, uid: int, gid: int) -> None:
    """Fill a folder that is shown as /etc: one mount is cheaper than one for each file."""
    for kind, source, target in entries:
        path = folder / target.removeprefix("/etc/")
        if not target.startswith("/etc/"):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            path.symlink_to(source)
        elif kind == "bind":
            path.mkdir()
        else:
            path.write_bytes(Path(source).read_bytes())
    for name, text in synthetic(uid, gid).items():
        (folder / name).write_text(text, encoding="utf-8")


def synthetic(uid: int, gid: int) -> dict[str, str]:
    """Accounts and names of the sandbox's own; no name server."""
    judge, group = (uid, gid) if uid else (JUDGE, JUDGE)
    return {
        "passwd": (
            f"root:x:0:0:root:{HOME}:/bin/sh\njudge:x:{judge}:{group}:judge:{HOME}:/bin/sh\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        ),
        "group": f"root:x:0:\njudge:x:{group}:\nnogroup:x:65534:\n",
        "hosts": HOSTS,
        "resolv.conf": "",
    }


def environment(uid: int) -> dict[str, str]:
    """What every job is told unless it says otherwise; nothing of ours is inherited."""
    user = "judge" if uid else "root"
    return {
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "LOGNAME": user,
        "PATH": PATH,
        "SHELL": "/bin/sh",
        "TERM": "dumb",
        "USER": user,
    }
