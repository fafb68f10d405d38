"""Changes of bytes that know nothing of the format."""

from __future__ import annotations

import re
from random import Random

from tests.fuzz import odd

_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_JUNK = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"<", b">", b"&", b"&#0;", b"&#xD800;", b"&x;", b'"',
    b"'", b"{", b"}", b"[", b"]", b",", b":", b"/", b"\\", b"\\u0000", b"\\ud800", b"\n", b"\r",
    b"\x0b", b"\x1b[2J", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x?>", b"null", b"NaN", b"1e999",
    b"-", b"<!DOCTYPE a>", b"  ", b"\xef\xbb\xbf", b"<a>" * 300, b"[" * 3000, b"9" * 5000,
)  # fmt: skip


def damaged(rng: Random, data: bytes, times: int | None = None) -> bytes:
    """``data`` after a few changes."""
    for _ in range(times or rng.choice((1, 1, 1, 2, 3, 8))):
        data = rng.choice(_CHANGES)(rng, data)
    return data


def _place(rng: Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def _range(rng: Random, data: bytes) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 16, 64, 1024)))


def _truncate(rng: Random, data: bytes) -> bytes:
    return data[: _place(rng, data)]


def _remove(rng: Random, data: bytes) -> bytes:
    start, end = _range(rng, data)
    return data[:start] + data[end:]


def _repeat(rng: Random, data: bytes) -> bytes:
    start, end = _range(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 50)) + data[end:]


def _flip(rng: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _overwrite(rng: Random, data: bytes) -> bytes:
    start, end = _range(rng, data)
    return data[:start] + bytes(rng.randrange(256) for _ in range(end - start)) + data[end:]


def _insert(rng: Random, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.choice(_JUNK) + data[at:]


def _move(rng: Random, data: bytes) -> bytes:
    start, end = _range(rng, data)
    rest = data[:start] + data[end:]
    at = _place(rng, rest)
    return rest[:at] + data[start:end] + rest[at:]


def _renumber(rng: Random, data: bytes) -> bytes:
    """Another number in the place of one."""
    found = list(_NUMBER.finditer(data[:20_000]))
    if not found:
        return data
    match = rng.choice(found)
    if rng.random() < 0.8:
        new = repr(odd.number(rng)) if rng.random() < 0.6 else str(rng.randint(-2, 300))
    else:
        new = rng.choice(odd.NO_NUMBERS)
    return data[: match.start()] + new.encode("utf-8", "surrogatepass") + data[match.end() :]


def _recode(rng: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-32", "latin-1", "utf-8-sig")), "replace")


def _empty(rng: Random, data: bytes) -> bytes:
    return rng.choice((b"", b"\n", b" ", b"\x00", b"\xef\xbb\xbf"))


_CHANGES = (
    *[_truncate, _remove, _repeat, _flip, _overwrite, _insert, _move] * 3,
    *[_renumber] * 6,
    _recode,
    _empty,
)
