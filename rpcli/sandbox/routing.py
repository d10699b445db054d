"""Which route of which plane a request is for.

Rules: a plane's module is imported at the first request to it; what lies outside of every plane has
none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple

from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import Map, MapAdapter, Rule

from rpcli.sandbox.answers import Reply, Request
from rpcli.sandbox.state import State

Route = Callable[[State, Request], Reply]
#: The module of each REST plane; its ``ROUTES`` maps a template to a method to a :data:`Route`.
_MODULES: Mapping[str, str] = {"v2": "rpcli.sandbox.v2", "v1": "rpcli.sandbox.v1"}
GRAPHQL = "/graphql"


class Target(NamedTuple):
    """What a request is for.

    :param plane: ``v2``, ``v1``, ``graphql``; None outside of them
    :param route: the template of the path, as ``/v2/pods/{id}``; None where no route fits
    :param methods: those that the path takes; empty where no route fits
    :param parameters: the variable parts of the path
    """

    plane: str | None
    route: str | None = None
    methods: Mapping[str, Route] = {}
    parameters: Mapping[str, str] = {}


class Routing:
    """Finds the target of a path."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._planes: dict[str, tuple[MapAdapter, Mapping[str, Mapping[str, Route]]]] = {}

    def find(self, path: str) -> Target:
        """Give what a path is for, whatever the method."""
        if path == GRAPHQL:
            return Target("graphql", GRAPHQL)
        plane = path.split("/", 2)[1] if path.startswith("/") else ""
        if plane not in _MODULES:
            return Target(None)
        rules, routes = self._load(plane)
        try:
            template, parameters = rules.match(path)
        except (NotFound, MethodNotAllowed):
            return Target(plane)
        return Target(plane, template, routes[template], dict(parameters))

    def _load(self, plane: str) -> tuple[MapAdapter, Mapping[str, Mapping[str, Route]]]:
        # The first requests may come together, and both the module and the codec that binding a
        # name needs are imported at their first use.
        with self._lock:
            if plane not in self._planes:
                routes: Mapping[str, Mapping[str, Route]] = import_module(_MODULES[plane]).ROUTES
                rules = [
                    Rule(template.replace("{", "<").replace("}", ">"), endpoint=template)
                    for template in routes
                ]
                found = Map(rules, strict_slashes=False, merge_slashes=False)
                self._planes[plane] = found.bind("localhost"), routes
            return self._planes[plane]
