"""A small server for one person on this machine: it listens at 127.0.0.1 and answers only who has the token."""

import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from dagscale.cli.app.run import Run
from dagscale.runtime.errors import DagscaleError, InputError

PAGE = Path(__file__).with_name("page.html")
LONGEST = 1_000_000  # bytes of a request
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


class Server(ThreadingHTTPServer):
    """The server of one table.

    Attributes
    ----------
    run_ : Run
    token : str
        Random; whoever lacks it gets nothing.
    """

    daemon_threads = True

    def __init__(self, run: Run, port: int = 0) -> None:
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            raise InputError(
                f"port {port} cannot be used: {error.strerror}; choose another --port, or 0"
            ) from None
        self.run_, self.token = run, secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """Where the page is, token included."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"


class Handler(BaseHTTPRequestHandler):
    """Answers: the page, the state of the run, its report; and the requests to start and stop it."""

    server: Server

    def do_GET(self) -> None:  # noqa: D102
        if not self._allowed():
            return
        path = urlsplit(self.path).path
        if path == "/":
            self._answer(PAGE.read_bytes(), "text/html; charset=utf-8")
        elif path == "/state":
            self._json(self.server.run_.state())
        elif path == "/report" and self.server.run_.report:
            self._answer(self.server.run_.report, "text/html; charset=utf-8")
        else:
            self._json({"error": "there is nothing here"}, HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:  # noqa: D102
        if not self._allowed():
            return
        length = int(self.headers.get("Content-Length") or 0)
        if length > LONGEST:
            self._json({"error": "the request is too long"}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        try:
            asked = json.loads(self.rfile.read(length) or b"{}")
            self._act(urlsplit(self.path).path, asked)
            self._json(self.server.run_.state())
        except (DagscaleError, ValueError, TypeError) as error:
            self._json({"error": " ".join(str(error).split())}, HTTPStatus.BAD_REQUEST)

    def _act(self, path: str, asked: Any) -> None:
        if path == "/run":
            self.server.run_.start(asked)
        elif path == "/stop":
            self.server.run_.stop()
        else:
            raise InputError("there is nothing here")

    def _allowed(self) -> bool:
        """Refuse who lacks the token, and pages of other sites that reach this address under another name."""
        given = self.headers.get("X-Token") or parse_qs(urlsplit(self.path).query).get("token", [""])[0]
        host = self.headers.get("Host", "")
        ours = host in (f"127.0.0.1:{self.server.server_port}", f"localhost:{self.server.server_port}")
        if ours and secrets.compare_digest(given.encode(), self.server.token.encode()):
            return True
        self._json({"error": "the address lacks its token"}, HTTPStatus.FORBIDDEN)
        return False

    def _json(self, value: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._answer(json.dumps(value).encode(), "application/json", status)

    def _answer(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the terminal is the person's."""
