"""One origin for every plane: who may ask, how often, which route, and which fault strikes.

``/v2`` is REST v2, ``/v1`` REST v1, ``/graphql`` GraphQL, ``/_sandbox`` the sandbox itself; the
queue of an endpoint (``/queue/v2``) and the routes of logs come with their commands.

A REST plane is a module with ``ROUTES``: template, then method, then a function that takes the
:class:`~rpcli.sandbox.state.State`, whose lock is held, and a
:class:`~rpcli.sandbox.answers.Request`, and gives a :class:`~rpcli.sandbox.answers.Reply`. GraphQL
is ``classic_graphql.answer(state, request, *, anonymous)``. Keys, limits, counting and faults are
dealt with here, and no route knows of them.
"""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NoReturn
from uuid import uuid4

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request as HttpRequest
from werkzeug.wrappers import Response

from rpcli.sandbox import faults as faulty
from rpcli.sandbox.answers import Reply, Request, problem, reason
from rpcli.sandbox.faults import Faults
from rpcli.sandbox.keys import Scope, graphql_operations, read_keys, rest_operations
from rpcli.sandbox.ledger import Ledger
from rpcli.sandbox.limits import QUOTAS, Limits
from rpcli.sandbox.logs import Stream
from rpcli.sandbox.refusals import refusal
from rpcli.sandbox.routing import Routing, Target
from rpcli.sandbox.state import State
from rpcli.sandbox.wire import Abandoned, Wire

#: What the platform's edge takes for a bot, where a scenario lets it.
_BARE_CLIENTS = ("python-urllib", "python-requests")
#: The most that a request may carry, in bytes; the platform's own limit is not public.
LARGEST_BODY = 1 << 24


class App:
    """The WSGI application of one sandbox.

    :param scenario: what it plays
    :param state: the account that was built from it
    """

    def __init__(self, scenario: Mapping[str, Any], state: State) -> None:
        self.state = state
        self.ledger = Ledger()
        self.faults = Faults()
        self.stopping = threading.Event()
        self._keys = read_keys(scenario.get("account", {}))
        quotas = scenario.get("rateLimit", QUOTAS)
        self._limits = Limits(None if quotas == "none" else quotas)
        self._routing = Routing()
        for fault in scenario.get("faults", []):
            self.faults.add(fault)

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request."""
        request = HttpRequest(environ)
        request.max_content_length = LARGEST_BODY
        if request.path.startswith("/_sandbox"):
            from rpcli.sandbox.control import answer

            return _response(answer(self, request))(environ, start_response)
        target = self._routing.find(request.path)
        entry = self.ledger.begin(_entry(request, target, self.state.clock.now()))
        status = None
        try:
            response = self._respond(request, target, entry)
            status = response.status_code
        except Abandoned:
            entry["abandoned"] = True
            raise
        finally:
            self.ledger.end(entry, status)
        return response(environ, start_response)

    def _respond(self, request: HttpRequest, target: Target, entry: dict[str, Any]) -> Response:
        fault = self.faults.strike(_asked(request, target))
        reply = self._reply(request, target, entry, fault or {})
        reply = reply._replace(headers={**reply.headers, "x-request-id": uuid4().hex})
        if reply.stream is not None and not faulty.has_answer(fault or {}):
            self._stream(reply.stream, fault or {}, reply, request, entry)
        if fault is None:
            return _response(reply)
        status = fault.get("status", 200)
        if status >= 400 and not faulty.has_body(fault):
            error = refusal(target.plane, self.state, status)
            reply = error._replace(headers=reply.headers)
        return self._struck(fault, reply, request)

    def _reply(
        self,
        request: HttpRequest,
        target: Target,
        entry: dict[str, Any],
        fault: Mapping[str, Any],
    ) -> Reply:
        """Say who asks and how often, and give the answer of the route."""
        body, wrong = self._body(request, target)
        entry["body"] = body
        key = _key(request, target)
        scope = None if key is None else self._keys.get(key)
        if key is not None:
            entry["key"] = scope.name if scope else "unknown"
        refused = self._refuse(request, target, key, scope)
        headers: dict[str, str] = {}
        if refused is None and target.plane == "v2" and key is not None:
            headers, spent = self._limits.count(key, self.state.clock.now())
            if spent is not None:
                refused = problem(429, f"rate limit exceeded for the {spent} window")
        if faulty.replaces(fault):
            reply = Reply(200, None)
        else:
            reply = refused or wrong or self._routed(request, target, body, scope)
        return reply._replace(headers={**headers, **reply.headers})

    def _body(self, request: HttpRequest, target: Target) -> tuple[Any, Reply | None]:
        """Decode the body, or say what is wrong with it."""
        try:
            raw = request.get_data()
            return (json.loads(raw) if raw else None), None
        except RequestEntityTooLarge:
            return None, refusal(target.plane, self.state, 413)
        except (ValueError, RecursionError):
            return None, refusal(target.plane, self.state, 400, "the body is not JSON")

    def _refuse(
        self, request: HttpRequest, target: Target, key: str | None, scope: Scope | None
    ) -> Reply | None:
        """Refuse who may not ask at all."""
        agent = request.headers.get("User-Agent", "").lower()
        if self.state.quirks.get("refuseDefaultClients") and agent.startswith(_BARE_CLIENTS):
            return Reply(403, "error code: 1010", {}, "text/plain")
        if scope is not None or target.plane is None:
            return None
        if target.plane == "graphql" and key is None:
            return None  # anonymous: `myself` is null
        text = "missing bearer token" if key is None else "invalid bearer token"
        return refusal(target.plane, self.state, 401, text)

    def _routed(
        self,
        request: HttpRequest,
        target: Target,
        body: Any,
        scope: Scope | None,
    ) -> Reply:
        """Refuse what cannot be done, or not with this key, and do the rest."""
        plane = target.plane
        if target.route is None:
            status = self.state.quirks.get("v2UnknownRoute", 404) if plane == "v2" else 404
            return refusal(plane, self.state, status, "route not found")
        methods = ["POST"] if plane == "graphql" else sorted(target.methods)
        if request.method not in methods:
            return _not_allowed(self.state, target, methods)
        method, status = _scoped(request.method, target, body, scope)
        if status is not None:
            return refusal(plane, self.state, status, "access denied" if status == 403 else None)
        asked = Request(
            method, request.args.to_dict(), body, dict(target.parameters), _last_event_id(request)
        )
        return self._handled(asked, target, anonymous=scope is None)

    def _handled(self, asked: Request, target: Target, *, anonymous: bool) -> Reply:
        try:
            with self.state.lock:
                if target.plane == "graphql":
                    from rpcli.sandbox import classic_graphql

                    return classic_graphql.answer(self.state, asked, anonymous=anonymous)
                return target.methods[asked.method](self.state, asked)
        except ConnectionError:
            raise  # the connection is over, and nothing is wrong
        except Exception as error:  # noqa: BLE001 - told to whoever asked: a bug of the sandbox
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"the sandbox failed: {type(error).__name__}: {error} ({where.name})"
            return refusal(target.plane, self.state, 500, text)

    def _stream(
        self,
        stream: Stream,
        fault: Mapping[str, Any],
        reply: Reply,
        request: HttpRequest,
        entry: dict[str, Any],
    ) -> NoReturn:
        """Send what never ends, in chunks where the client and a fault let it."""
        old = request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0"
        chunked = fault.get("chunked", not (old or "contentLength" in fault))
        wire = self._wire({**fault, "chunked": chunked}, request)
        told = faulty.told_headers(fault, reply)
        framing = ("Connection", "close")
        if chunked:
            framing = ("Transfer-Encoding", "chunked")
        elif "contentLength" in fault:
            framing = ("Content-Length", str(fault["contentLength"]))
        headers = [pair for pair in _headers(told) if chunked or pair[0] != "Connection"]

        def head() -> None:
            wire.head(told.status, reason(told.status), [*headers, framing])
            self.ledger.answered(entry, told.status)

        stream.serve(wire, self.state.clock, fault, head)

    def _wire(self, fault: Mapping[str, Any], request: HttpRequest) -> Wire:
        """Give the way to the socket, once the first byte may come."""
        wire = Wire(request.environ["werkzeug.socket"], self.stopping, fault)
        if fault.get("latency"):
            wire.wait(fault["latency"])
        if fault.get("silent"):
            wire.wait()
        return wire

    def _struck(self, fault: Mapping[str, Any], reply: Reply, request: HttpRequest) -> Response:
        wire = self._wire(fault, request)
        if "raw" in fault:
            wire.raw(fault["raw"].encode("latin-1", "replace"))
            wire.finish()
        where = {"port": request.environ["SERVER_PORT"], "path": request.full_path.rstrip("?")}
        answer = faulty.distort(fault, reply, where)
        data = answer.encoded()
        if faulty.is_raw(fault):
            self._write(wire, fault, answer)
        response = _response(answer)
        if "padding" in fault:
            response.headers["Content-Length"] = str(faulty.length(fault, data))
            response.response = faulty.pieces(fault, data)
        return response

    def _write(self, wire: Wire, fault: Mapping[str, Any], answer: Reply) -> None:
        data = answer.encoded()
        headers = _headers(answer)
        if fault.get("chunked"):
            headers.append(("Transfer-Encoding", "chunked"))
        else:
            real = faulty.length(fault, data)
            headers.append(("Content-Length", str(fault.get("contentLength", real))))
        wire.head(answer.status, reason(answer.status), [*headers, ("Connection", "close")])
        for piece in faulty.pieces(fault, data):
            wire.body(piece)
        wire.finish()


def _entry(request: HttpRequest, target: Target, now: datetime) -> dict[str, Any]:
    """Describe a request for the ledger; never with the key."""
    path, _, query = str(request.environ.get("REQUEST_URI", request.path)).partition("?")
    return {
        "method": request.method,
        "plane": target.plane,
        "route": target.route,
        "path": path,
        "query": "&".join(p for p in query.split("&") if not p.startswith("api_key=")),
        "lastEventId": _last_event_id(request),
        "userAgent": request.headers.get("User-Agent"),
        "time": now.isoformat().replace("+00:00", "Z"),
        "key": None,
        "body": None,
        "abandoned": False,
    }


def _asked(request: HttpRequest, target: Target) -> faulty.Asked:
    """Give what faults look at."""
    headers = [name.lower() for name, _ in request.headers]
    return faulty.Asked(target.plane, target.route, request.method, request.path, headers)


def _last_event_id(request: HttpRequest) -> str | None:
    """Give the header as it was meant: in UTF-8, of which WSGI makes Latin-1."""
    sent = request.headers.get("Last-Event-ID")
    return None if sent is None else sent.encode("latin-1").decode("utf-8", "replace")


def _key(request: HttpRequest, target: Target) -> str | None:
    """Give the key that came, in the ways that the plane takes it; the empty text for a bad one."""
    header = request.headers.get("Authorization")
    if header is not None:
        kind, _, key = header.partition(" ")
        return key if kind.lower() == "bearer" else ""
    return request.args.get("api_key") if target.plane == "graphql" else None


def _scoped(method: str, target: Target, body: Any, scope: Scope | None) -> tuple[str, int | None]:
    """Give the method to carry out, and the status that refuses it to this key."""
    if scope is None or not (scope.planes or scope.pod or scope.ignores):
        return method, None
    if target.plane == "graphql":
        # Only a list needs to know what is asked for, and graphql-core is slow to import.
        listed = not isinstance(scope.planes.get("graphql", 0), int)
        return method, scope.refusal("graphql", graphql_operations(body) if listed else [], None)
    operations = rest_operations(method, target.route or "", body)
    about_pod = operations[0].startswith("pods.")
    pod = next(iter(target.parameters.values()), None) if about_pod else None
    refused = scope.refusal(target.plane or "", operations, pod)
    if refused is None and scope.ignores.intersection(operations) and "GET" in target.methods:
        return "GET", None
    return method, refused


def _not_allowed(state: State, target: Target, methods: list[str]) -> Reply:
    text = "The requested method is not allowed for this path."
    answer = refusal(target.plane, state, 405, text)
    return answer._replace(headers={**answer.headers, "Allow": ", ".join(methods)})


def _headers(reply: Reply) -> list[tuple[str, str]]:
    """Give the headers of an answer: a value of None leaves one out, a list repeats it."""
    given: dict[str, Any] = {}
    if reply.document is not None or reply.stream is not None:
        given["Content-Type"] = reply.content_type
    for name, value in reply.headers.items():
        for known in [other for other in given if other.lower() == name.lower()]:
            del given[known]
        given[name] = value
    return [
        (name, str(one))
        for name, value in given.items()
        if value is not None
        for one in (value if isinstance(value, list) else [value])
    ]


def _response(reply: Reply) -> Response:
    response = Response(reply.encoded(), reply.status)
    response.headers.clear()
    for name, value in _headers(reply):
        response.headers.add(name, value)
    if reply.document is not None:
        response.content_length = len(response.get_data())
    return response
