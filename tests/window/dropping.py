"""Drops a file into a window of X11 as a file manager does, by the protocol XDND.

    python dropping.py FILE X Y

X and Y are pixels of the screen. It ends with 0 when the window says that it has the file.
"""

from __future__ import annotations

import ctypes
import sys
import time
from ctypes import POINTER, Structure, Union, byref, c_char_p, c_int, c_long, c_ulong, c_void_p
from pathlib import Path

VERSION = 3  # of the protocol, which what speaks a later one understands
PATIENCE = 10.0  # s
CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
REPLACE = 0
LETTERS = 8  # bits


class Message(Structure):
    """XClientMessageEvent."""

    _fields_ = (
        ("type", c_int), ("serial", c_ulong), ("sent", c_int), ("display", c_void_p),
        ("window", c_ulong), ("kind", c_ulong), ("format", c_int), ("data", c_long * 5),
    )  # fmt: skip


class Request(Structure):
    """XSelectionRequestEvent."""

    _fields_ = (
        ("type", c_int), ("serial", c_ulong), ("sent", c_int), ("display", c_void_p),
        ("owner", c_ulong), ("requestor", c_ulong), ("selection", c_ulong), ("target", c_ulong),
        ("property", c_ulong), ("time", c_ulong),
    )  # fmt: skip


class Answer(Structure):
    """XSelectionEvent."""

    _fields_ = (
        ("type", c_int), ("serial", c_ulong), ("sent", c_int), ("display", c_void_p),
        ("requestor", c_ulong), ("selection", c_ulong), ("target", c_ulong),
        ("property", c_ulong), ("time", c_ulong),
    )  # fmt: skip


class Event(Union):
    """XEvent."""

    _fields_ = (
        ("type", c_int), ("message", Message), ("request", Request), ("answer", Answer),
        ("room", c_long * 24),
    )  # fmt: skip


class Source:
    """What a file is dragged out of: a window that nobody sees, and its file."""

    def __init__(self, path: Path) -> None:
        self.x11 = ctypes.CDLL("libX11.so.6")
        self._declare()
        self.display = self.x11.XOpenDisplay(None)
        if not self.display:
            raise SystemExit("There is no screen of X11.")
        self.root = self.x11.XDefaultRootWindow(self.display)
        self.window = self.x11.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, 0, 0)
        self.content = (path.resolve().as_uri() + "\r\n").encode()

    def _declare(self) -> None:
        """What is not an int: pointers, and identifiers, which are longs."""
        handle, number = c_void_p, c_ulong
        for name, result, arguments in (
            ("XOpenDisplay", handle, [c_char_p]),
            ("XDefaultRootWindow", number, [handle]),
            ("XCreateSimpleWindow", number, [handle, number, *[c_int] * 5, number, number]),
            ("XInternAtom", number, [handle, c_char_p, c_int]),
            ("XSetSelectionOwner", c_int, [handle, number, number, number]),
            ("XSendEvent", c_int, [handle, number, c_int, c_long, handle]),
            ("XNextEvent", c_int, [handle, handle]),
            ("XPending", c_int, [handle]),
            ("XFlush", c_int, [handle]),
            ("XQueryTree", c_int, [handle, number, *[handle] * 4]),
            ("XListProperties", POINTER(number), [handle, number, handle]),
            ("XChangeProperty", c_int, [handle, *[number] * 3, c_int, c_int, handle, c_int]),
        ):
            function = getattr(self.x11, name)
            function.restype, function.argtypes = result, arguments

    def drop(self, x: int, y: int) -> None:
        """Go over the window at a place, let go, and hand over the file."""
        target = self._target()
        self.x11.XSetSelectionOwner(self.display, self._atom("XdndSelection"), self.window, 0)
        self._send(target, "XdndEnter", VERSION << 24, self._atom("text/uri-list"))
        place, copy = x << 16 | y, self._atom("XdndActionCopy")
        self._send(target, "XdndPosition", 0, place, 0, copy)
        if not self._answer("XdndStatus").data[1] & 1:
            self._send(target, "XdndLeave")
            raise SystemExit("The window takes no file at this place.")
        self._send(target, "XdndDrop")
        self._answer("XdndFinished")

    def _target(self) -> int:
        """The first window of the screen that lets things be dropped into it."""
        ignored, count, found = c_ulong(), c_int(), POINTER(c_ulong)()
        number = ctypes.c_uint()
        self.x11.XQueryTree(
            self.display, self.root, byref(ignored), byref(ignored), byref(found), byref(number)
        )
        aware = self._atom("XdndAware")
        for window in found[: number.value]:
            names = self.x11.XListProperties(self.display, window, byref(count))
            if aware in names[: count.value]:
                return window
        raise SystemExit("No window lets files be dropped into it.")

    def _send(self, target: int, kind: str, *data: int) -> None:
        event = Event()
        event.message = Message(
            CLIENT_MESSAGE, 0, 1, self.display, target, self._atom(kind), 32,
            (c_long * 5)(self.window, *data),
        )  # fmt: skip
        self.x11.XSendEvent(self.display, target, 0, 0, byref(event))
        self.x11.XFlush(self.display)

    def _answer(self, kind: str) -> Message:
        """What the window says; it is given the file whenever it asks for it."""
        event, end = Event(), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if not self.x11.XPending(self.display):
                time.sleep(0.01)
                continue
            self.x11.XNextEvent(self.display, byref(event))
            if event.type == SELECTION_REQUEST:
                self._hand_over(event.request)
            elif event.type == CLIENT_MESSAGE and event.message.kind == self._atom(kind):
                return event.message
        raise SystemExit(f"The window did not say {kind} within {PATIENCE:g} s.")

    def _hand_over(self, request: Request) -> None:
        self.x11.XChangeProperty(
            self.display, request.requestor, request.property, request.target, LETTERS, REPLACE,
            self.content, len(self.content),
        )  # fmt: skip
        event = Event()
        event.answer = Answer(
            SELECTION_NOTIFY, 0, 1, self.display, request.requestor, request.selection,
            request.target, request.property, request.time,
        )  # fmt: skip
        self.x11.XSendEvent(self.display, request.requestor, 0, 0, byref(event))
        self.x11.XFlush(self.display)

    def _atom(self, name: str) -> int:
        return self.x11.XInternAtom(self.display, name.encode(), 0)


if __name__ == "__main__":
    Source(Path(sys.argv[1])).drop(int(sys.argv[2]), int(sys.argv[3]))
