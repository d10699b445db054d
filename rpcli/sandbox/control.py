"""``/_sandbox``: for tests from outside: what was asked, the clock, faults, log lines, workers.

Rules: no key is needed, for only this machine can ask; nothing here is counted or struck by faults.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request as HttpRequest

from rpcli.errors import ConfigError
from rpcli.sandbox import interventions
from rpcli.sandbox.answers import Reply
from rpcli.sandbox.scenario import fault_errors

if TYPE_CHECKING:
    from rpcli.sandbox.app import App

_METHODS = {
    "requests": ("GET", "DELETE"),
    "clock": ("GET", "POST"),
    "faults": ("GET", "POST", "DELETE"),
    "logs": ("POST",),
    "workers": ("POST", "DELETE"),
}


def answer(app: App, request: HttpRequest) -> Reply:
    """Answer a request to the sandbox itself."""
    what = request.path.removeprefix("/_sandbox").strip("/")
    if what not in _METHODS:
        return Reply(404, {"error": f"/_sandbox has {', '.join(sorted(_METHODS))}"})
    if request.method not in _METHODS[what]:
        allow = ", ".join(_METHODS[what])
        return Reply(405, {"error": f"{what} takes {allow}"}, {"Allow": allow})
    try:
        body = json.loads(request.get_data() or b"null")
    except ValueError:
        return Reply(400, {"error": "the body is not JSON"})
    return _ANSWERS[what](app, request.method, body)


def _requests(app: App, method: str, body: Any) -> Reply:  # noqa: ARG001 - one signature for all
    if method == "DELETE":
        app.ledger.clear()
    return Reply(200, {"requests": app.ledger.entries(), "mostOpen": app.ledger.most_open()})


def _clock(app: App, method: str, body: Any) -> Reply:
    if method == "POST":
        seconds = body.get("advance") if isinstance(body, dict) else None
        if not (
            isinstance(seconds, int | float)
            and not isinstance(seconds, bool)
            and math.isfinite(seconds)
            and seconds >= 0
        ):
            return Reply(422, {"error": "advance: a number of seconds, 0 or more"})
        app.state.clock.advance(float(seconds))
    return Reply(200, {"now": app.state.clock.now().isoformat().replace("+00:00", "Z")})


def _faults(app: App, method: str, body: Any) -> Reply:
    if method == "DELETE":
        app.faults.clear()
    elif method == "POST":
        faults = body if isinstance(body, list) else [body]
        errors = [error for fault in faults for error in fault_errors(fault)]
        if errors:
            return Reply(422, {"error": "; ".join(errors)})
        for fault in faults:
            app.faults.add(fault)
    return Reply(200, {"faults": app.faults.specs()})


def _logs(app: App, method: str, body: Any) -> Reply:  # noqa: ARG001 - one signature for all
    """Add lines: ``{"to": ID, "lines": […]}`` as a scenario has them, or one in their place."""
    if not isinstance(body, dict) or not isinstance(body.get("to"), str):
        return Reply(422, {"error": "to: the id of a pod or worker"})
    lines = body.get("lines", [{key: value for key, value in body.items() if key != "to"}])
    return _done(lambda: interventions.add_lines(app.state, body["to"], lines))


def _workers(app: App, method: str, body: Any) -> Reply:
    """Let one join or leave: ``{"endpoint": ID, "id": ID}``, and more as a scenario has it."""
    if not isinstance(body, dict) or not all(
        isinstance(body.get(key), str) for key in ("endpoint", "id")
    ):
        return Reply(422, {"error": "endpoint and id: those of the endpoint and the worker"})
    endpoint = body["endpoint"]
    if method == "DELETE":
        return _done(lambda: interventions.remove_worker(app.state, endpoint, body["id"]))
    spec = {key: value for key, value in body.items() if key != "endpoint"}
    return _done(lambda: interventions.add_worker(app.state, endpoint, spec))


def _done(act: Callable[[], None]) -> Reply:
    try:
        act()
    except ConfigError as error:
        return Reply(422, {"error": error.message})
    return Reply(200, {})


_ANSWERS: Mapping[str, Callable[[App, str, Any], Reply]] = {
    "requests": _requests,
    "clock": _clock,
    "faults": _faults,
    "logs": _logs,
    "workers": _workers,
}
