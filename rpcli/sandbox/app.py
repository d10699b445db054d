"""One origin for every plane: who may ask, how often, which route, and which fault strikes.

``/v2`` is REST v2, ``/v1`` REST v1, ``/graphql`` GraphQL, ``/_sandbox`` the sandbox itself; the
queue of an endpoint (``/queue/v2``) and the routes of logs come with their commands.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import uuid4

from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request as HttpRequest
from werkzeug.wrappers import Response

from rpcli.sandbox import v1, v2
from rpcli.sandbox.answers import Reply, Request, problem
from rpcli.sandbox.faults import Bytes, Faults, close, distort, is_raw, send_raw
from rpcli.sandbox.ledger import Ledger
from rpcli.sandbox.limits import QUOTAS, Limits
from rpcli.sandbox.scenario import API_KEY
from rpcli.sandbox.state import State

_DEFAULT_CLIENTS = ("python-urllib", "python-requests", "curl/", "go-http-client")


class App:
    """The WSGI application of one sandbox.

    :param scenario: what it plays
    """

    def __init__(self, scenario: Mapping[str, Any], state: State) -> None:
        account = scenario.get("account", {})
        self.state = state
        self.ledger = Ledger()
        self.faults = Faults()
        self.stopping = threading.Event()
        self.keys: dict[str, Mapping[str, Any]] = {account.get("apiKey", API_KEY): {}}
        for key in account.get("otherKeys", []):
            self.keys[key["key"]] = {**key.get("planes", {}), "readOnly": key.get("readOnly")}
        quotas = scenario.get("rateLimit", QUOTAS)
        self.limits = Limits(None if quotas == "none" else quotas)
        for fault in scenario.get("faults", []):
            self.faults.add(fault)
        self._routes = {"v2": v2.ROUTES, "v1": v1.ROUTES}
        self._map = Map(
            [
                Rule(
                    template.replace("{", "<").replace("}", ">"),
                    endpoint=(plane, template),
                    methods=[*methods],
                )
                for plane, routes in self._routes.items()
                for template, methods in routes.items()
            ]
            + [Rule("/graphql", endpoint=("graphql", "/graphql"), methods=["POST"])],
            strict_slashes=False,
            merge_slashes=False,
        )

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request."""
        request = HttpRequest(environ)
        if request.path.startswith("/_sandbox/"):
            return _response(self._control(request))(environ, start_response)
        entry = self.ledger.begin(request.method, request.path, request.query_string.decode())
        status: int | None = None
        try:
            plane, route, reply = self._answer(request)
            entry |= {"plane": plane, "route": route}
            fault = self.faults.strike(plane, route, request.method)
            answer = _response(reply) if fault is None else self._struck(fault, reply, environ)
            status = answer.status_code
        finally:
            self.ledger.end(entry, status)
        return answer(environ, start_response)

    # -- who, how often, where

    def _answer(self, request: HttpRequest) -> tuple[str, str, Reply]:
        try:
            (plane, route), arguments = self._map.bind("localhost").match(
                request.path, method=request.method
            )
        except MethodNotAllowed as error:
            plane = request.path.split("/")[1]
            allow = ", ".join(sorted(set(error.valid_methods or ()) - {"HEAD"}))
            return plane, request.path, problem(405, "method not allowed", Allow=allow)
        except NotFound:
            return request.path.split("/")[1], request.path, problem(404, "route not found")
        refused, headers = self._admit(request, plane)
        if refused is None:
            with self.state.lock:
                refused = self._handle(request, plane, route, arguments)
        extra = {**headers, "x-request-id": uuid4().hex}
        return plane, route, refused._replace(headers={**extra, **refused.headers})

    def _admit(self, request: HttpRequest, plane: str) -> tuple[Reply | None, dict[str, str]]:
        """Refuse who may not ask, and who asks too often; give the headers of every answer."""
        kind, _, key = request.headers.get("Authorization", "").partition(" ")
        refused = self._refuse(request, plane, key if kind.lower() == "bearer" else "")
        if refused is not None or plane != "v2":
            return refused, {}
        headers, spent = self.limits.count(key, self.state.clock.now())
        if spent is not None:
            text = f"rate limit exceeded for the {spent} window"
            return problem(429, text, None, **headers), {}
        return None, headers

    def _refuse(self, request: HttpRequest, plane: str, key: str) -> Reply | None:
        agent = request.headers.get("User-Agent", "").lower()
        if self.state.quirks.get("refuseDefaultClients") and agent.startswith(_DEFAULT_CLIENTS):
            return Reply(403, "error code: 1010", {}, "text/plain")
        if plane == "graphql" and "Authorization" not in request.headers:
            return None  # anonymous: `myself` is null
        if key not in self.keys:
            detail = "unknown key" if key else "missing bearer token"
            return _unauthorized(plane, self.state, detail)
        scope = self.keys[key]
        reads = request.method == "GET" or plane == "graphql"
        if scope.get("readOnly") and not reads:
            return _refused(plane, self.state, 403)
        status = scope.get(plane)
        return None if status is None else _refused(plane, self.state, status)

    def _handle(
        self, request: HttpRequest, plane: str, route: str, arguments: Mapping[str, Any]
    ) -> Reply:
        body: Any = None
        raw = request.get_data()
        if raw:
            try:
                body = json.loads(raw)
            except ValueError:
                return problem(400, "the body is not JSON") if plane == "v2" else _bad_json()
        query = dict(request.args)
        asked = Request(request.method, query, body, {k: str(v) for k, v in arguments.items()})
        if plane == "graphql":
            from rpcli.sandbox import classic_graphql

            anonymous = "Authorization" not in request.headers
            return classic_graphql.answer(self.state, asked, anonymous=anonymous)
        return self._routes[plane][route][request.method](self.state, asked)

    # -- faults

    def _struck(self, fault: Mapping[str, Any], reply: Reply, environ: dict[str, Any]) -> Response:
        if self.stopping.wait(fault.get("latency", 0)):
            raise ConnectionAbortedError("the sandbox stops")
        if fault.get("silent"):
            self.stopping.wait()
            raise ConnectionAbortedError("the sandbox stops")
        headers = {**reply.headers, "Content-Type": reply.content_type}
        answer = distort(fault, Bytes(reply.status, headers, reply.encoded()))
        if is_raw(fault):
            sock = environ["werkzeug.socket"]
            send_raw(sock, fault, answer, self.stopping)
            # The socket is closed: the server must not write to it any more.
            raise ConnectionAbortedError("a fault ended the connection")
        if fault.get("cut") == {}:
            close(environ["werkzeug.socket"], reset=True)
        return Response(answer.body, answer.status, answer.headers)

    # -- the sandbox itself

    def _control(self, request: HttpRequest) -> Reply:
        what = request.path.removeprefix("/_sandbox/")
        body = json.loads(request.get_data() or b"null")
        if what == "requests":
            if request.method == "DELETE":
                self.ledger.clear()
            return Reply(200, {"requests": self.ledger.entries()})
        if what == "clock":
            if request.method == "POST":
                self.state.clock.advance(float(body["advance"]))
            return Reply(200, {"now": self.state.clock.now().isoformat()})
        if what == "faults":
            if request.method == "DELETE":
                self.faults.clear()
            elif request.method == "POST":
                self.faults.add(body)
            return Reply(200, {})
        return Reply(404, {"error": "there is no such thing in /_sandbox"})


def _response(reply: Reply) -> Response:
    response = Response(reply.encoded(), reply.status, reply.headers)
    response.headers["Content-Type"] = reply.content_type
    if reply.document is None:
        del response.headers["Content-Type"]
    return response


def _unauthorized(plane: str, state: State, detail: str) -> Reply:
    if plane == "v2":
        return problem(401, detail)
    if plane == "graphql":
        return Reply(
            401,
            {"errors": [{"message": "Unauthorized", "extensions": {"code": "UNAUTHENTICATED"}}]},
        )
    return v1.error(state, 401, "Unauthorized")


def _refused(plane: str, state: State, status: int) -> Reply:
    if plane == "v2":
        return problem(status, "access denied")
    if plane == "graphql":
        code = "UNAUTHENTICATED" if status == 401 else "FORBIDDEN"
        return Reply(
            status, {"errors": [{"message": "access denied", "extensions": {"code": code}}]}
        )
    return v1.error(state, status, "access denied")


def _bad_json() -> Reply:
    return Reply(400, {"error": "the body is not JSON", "status": 400})
