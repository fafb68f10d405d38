"""Where the page is served: one port, and a token in its address without which nothing is answered.

viser serves its page and its websocket from one server of the library websockets, whose
``process_request`` sees every request before either; viser offers no way to it. So the server is
opened here with a check before viser's own. The page derives the address of its websocket from its
own, hence the token is the first part of the path and holds for both.
"""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from unittest import mock

import click

if TYPE_CHECKING:
    import viser
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

__all__ = ["ANY_PORT", "Address", "open_server"]

ANY_PORT = 0
_USUAL_PORTS = range(8080, 8100)
_REFUSAL = (
    "This page needs the whole address that 'impulse view' printed, with the token at its end.\n"
)

_Answer = Callable[["ServerConnection", "Request"], "Response | None"]


class Address:
    """A listening socket and the token that requests must carry.

    Args:
        host: Name or number to listen on.
        port: Its port; None for the first free one of 8080 to 8099, or any.

    Raises:
        click.ClickException: If there is no such host, or the port is taken or not allowed.
    """

    def __init__(self, host: str, port: int | None) -> None:
        self.host = host
        self.token = secrets.token_urlsafe(18)
        self.socket = _listening(host, port)
        self.port = int(self.socket.getsockname()[1])

    @property
    def url(self) -> str:
        """What to open in a browser."""
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        if ":" in shown and not shown.startswith("["):
            shown = f"[{shown}]"
        return f"http://{shown}:{self.port}/{self.token}/"

    def checked(self, answer: _Answer) -> _Answer:
        """``answer``, asked only where the path begins with the token, without that part of it."""

        def answer_if_invited(connection: ServerConnection, request: Request) -> Response | None:
            path, mark, query = request.path.partition("?")
            token, slash, rest = path.lstrip("/").partition("/")
            if not hmac.compare_digest(token.encode(), self.token.encode()):
                return connection.respond(HTTPStatus.FORBIDDEN, _REFUSAL)
            request.path = f"/{rest}{mark}{query}" if slash else f"/{mark}{query}"
            return answer(connection, request)

        return answer_if_invited


def open_server(address: Address, label: str) -> viser.ViserServer:
    """A viser server behind ``address``; it prints nothing.

    Raises:
        click.ClickException: If viser did not ask for the server in the way that is checked here.
    """
    import rich
    import viser

    rich.reconfigure(quiet=True)  # viser prints addresses without the token
    with _servers_at(address) as opened:
        server = viser.ViserServer(host=address.host, port=address.port, label=label, verbose=False)
    if opened != [address.port]:
        server.stop()
        raise click.ClickException(
            f"viser {viser.__version__} opens its server in another way than this version of"
            " impulse can protect; install viser 1.1."
        )
    return server


@contextmanager
def _servers_at(address: Address) -> Iterator[list[int]]:
    """While it lasts, servers of websockets listen at ``address`` only, and check the token."""
    import websockets.asyncio.server as websockets_server

    serve = websockets_server.serve
    opened: list[int] = []

    def serve_here(handler: Any, _host: str, port: int, **options: Any) -> Any:
        if opened:  # viser would try the next port
            raise RuntimeError("a second server")
        opened.append(port)
        options["process_request"] = address.checked(options["process_request"])
        return serve(handler, sock=address.socket, **options)

    with mock.patch.object(websockets_server, "serve", serve_here):
        yield opened


def _listening(host: str, port: int | None) -> socket.socket:
    wanted = [port] if port is not None else [*_USUAL_PORTS, ANY_PORT]
    for number in wanted:
        try:
            return _bound(host, number)
        except socket.gaierror:
            raise click.ClickException(f"--host {host}: there is no such host.") from None
        except OverflowError:
            raise click.ClickException(f"--port {number}: ports end at 65535.") from None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            if port is not None or number == ANY_PORT:
                raise click.ClickException(
                    f"{host}, port {number}: {reason}; choose another --port."
                ) from None
    raise AssertionError("one of the ports was opened or refused")


def _bound(host: str, port: int) -> socket.socket:
    family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(place[:2], family=family)
