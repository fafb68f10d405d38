"""The page and its connection are for those who know the whole address."""

from __future__ import annotations

import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import click
import pytest

pytest.importorskip("viser")

import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from impulse_cli.viewer.address import ANY_PORT, Address, open_server

PROTOCOL = f"viser-v{viser.__version__}"


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    """Where a server listens."""
    opened = Address("127.0.0.1", ANY_PORT)
    server = open_server(opened, "test")
    yield opened
    server.stop()


def answer(url: str) -> int:
    """The status of what a server answers."""
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("place", ["", "/", "/index.html", "/wrong/", "/TOKENx/", "/?TOKEN", "//"])
def test_without_the_token_nothing_is_answered(address: Address, place: str) -> None:
    """Neither the page nor its connection, however near the address comes."""
    place = place.replace("TOKEN", address.token)
    base = f"127.0.0.1:{address.port}{place}"

    assert answer(f"http://{base}") == 403
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://{base}", subprotocols=[PROTOCOL])  # type: ignore[list-item]


def test_two_may_look_on_at_once(address: Address) -> None:
    """With the token there are the page and as many connections as one likes."""
    assert answer(address.url) == 200
    where = address.url.replace("http", "ws").rstrip("/")
    with (
        connect(where, subprotocols=[PROTOCOL]) as one,  # type: ignore[list-item]
        connect(where, subprotocols=[PROTOCOL]) as other,  # type: ignore[list-item]
    ):
        assert len(one.recv(timeout=10)) > 0
        assert len(other.recv(timeout=10)) > 0


def test_tokens_are_new_each_time() -> None:
    """Who has seen one cannot tell the next."""
    first, second = Address("127.0.0.1", ANY_PORT), Address("127.0.0.1", ANY_PORT)
    first.socket.close()
    second.socket.close()

    assert first.token != second.token
    assert min(len(first.token), len(second.token)) >= 22  # of 64 letters: 128 bits and more


def test_a_port_in_use_is_named(address: Address) -> None:
    """A chosen port is taken or refused; another is never taken in its place."""
    with pytest.raises(click.ClickException, match=rf"port {address.port}: .*choose another"):
        Address("127.0.0.1", address.port)


def test_a_host_that_is_none_is_named() -> None:
    with pytest.raises(click.ClickException, match="there is no such host"):
        Address("no.such.host.invalid", ANY_PORT)


def test_only_this_computer_is_listened_to(address: Address) -> None:
    """The socket is bound to the number of this computer within itself."""
    assert address.socket.getsockname()[0] == "127.0.0.1"


def test_an_unknown_way_to_serve_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A viser that opens its server past the check does not go on unprotected."""
    stopped = threading.Event()

    class Other:
        """A server that websockets does not know of."""

        def __init__(self, **_: object) -> None:
            self.socket = socket.socket()

        def stop(self) -> None:
            """End it."""
            self.socket.close()
            stopped.set()

    monkeypatch.setattr(viser, "ViserServer", Other)
    address = Address("127.0.0.1", ANY_PORT)

    with pytest.raises(click.ClickException, match=r"install viser 1\.1"):
        open_server(address, "test")
    address.socket.close()
    assert stopped.is_set()
