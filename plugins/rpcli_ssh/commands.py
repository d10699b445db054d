"""``ssh info`` and ``ssh connect``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rpcli.plugin import PodSnapshot, ShowCommand, SshView, UsageError, ssh_document, state_of
from rpcli_ssh.selection import find_pod
from rpcli_ssh.view import INFO_FIELDS, human_connections, human_info, notes_on


class InfoOptions(NamedTuple):
    """The pod that is asked for, by its id or name."""

    pod: str
    check: bool = False
    fields: tuple[str, ...] = ()


class ConnectOptions(NamedTuple):
    """The pod that is asked for; None: every one."""

    pod: str | None = None


class _SshCommand(ShowCommand):
    """Looks at pods for ssh."""

    #: Whether a pod that is not ready is in the output, so that notes on it make sense.
    shows_not_ready = True

    def documents(self, pods: Iterable[PodSnapshot], view: SshView) -> list[dict[str, Any]]:
        """Make the documents of pods, and note once what they do not say of themselves."""
        key = self.ctx.local_key(view.account_keys)
        now = self.ctx.now()
        documents = []
        notes: dict[str, None] = {}
        for pod in pods:
            state = state_of(pod, now)
            document = ssh_document(pod, state, key, view.account_keys)
            if document["ready"] or self.shows_not_ready:
                notes |= dict.fromkeys(notes_on(document, pod, key, now))
            documents.append(document)
        for note in notes:
            self.ctx.note(note)
        return documents


class Info(_SshCommand):
    """Show how to reach a pod over ssh, or why that is not possible yet.

    A pod that is not ready is an answer and no error: it is shown with its reason and with what to
    do, and the exit status is 0. With --check it is 1.
    """

    columns = INFO_FIELDS
    _fields: tuple[str, ...] = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the pod."""
        parser.add_argument("pod", metavar="POD", help="the id of a pod, or its name")
        parser.add_argument(
            "--check", action="store_true", help="exit with status 1 when the pod is not ready"
        )

    def options(self, args: argparse.Namespace) -> InfoOptions:
        """Refuse an empty id."""
        return InfoOptions(_check_pod(args.pod), args.check, tuple(args.column))

    def take_action(self, options: InfoOptions) -> Mapping[str, Any]:
        """Look, and judge."""
        self._fields = options.fields
        view = self.ctx.plane.ssh_view()
        (document,) = self.documents([find_pod(view.pods, options.pod)], view)
        return document

    def human_document(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Leave out what programs need."""
        return human_info(document, self._fields)

    def exit_status(self, document: Mapping[str, Any], options: InfoOptions) -> int:
        """Tell scripts that asked."""
        return 1 if options.check and not document["ready"] else 0


class Connect(_SshCommand):
    """List the ssh connections that can work: to one pod, or to all."""

    columns = ("connections",)
    shows_not_ready = False

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the pod."""
        parser.add_argument("pod", metavar="POD", nargs="?", help="the id of a pod, or its name")

    def options(self, args: argparse.Namespace) -> ConnectOptions:
        """Refuse an empty id."""
        return ConnectOptions(None if args.pod is None else _check_pod(args.pod))

    def take_action(self, options: ConnectOptions) -> Mapping[str, Any]:
        """Look, and keep what is ready."""
        view = self.ctx.plane.ssh_view()
        pods = view.pods if options.pod is None else [find_pod(view.pods, options.pod)]
        documents = self.documents(pods, view)
        ready = [document for document in documents if document["ready"]]
        if not ready and options.pod is not None:
            self.ctx.note(documents[0]["error"])
        elif not ready and self.ctx.human:
            self.ctx.note("no pod can be reached over ssh now; 'rpcli ssh info POD' says why")
        return {"connections": ready}

    def human_document(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Show a command a pod."""
        shown = human_connections(document["connections"])
        return {"connections": shown} if shown else {}


def _check_pod(text: str) -> str:
    if not text.strip():
        raise UsageError("the id or name of the pod is empty")
    return text
