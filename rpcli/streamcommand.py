"""The base class of commands that print one record after the other.

Rules: what was taken is written before the next is asked for: a generator that is resumed knows
that what it gave has reached the sink; what came before an error or a signal is not lost.
"""

from __future__ import annotations

import argparse
import contextlib
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rpcli.command import DisplayCommand, Document
from rpcli.output import PipeClosed

if TYPE_CHECKING:
    from rpcli.stream.hub import Hub
    from rpcli.stream.ports import StreamPlan, StreamStats
    from rpcli.stream.records import RecordBatch


class StreamCommand(DisplayCommand):
    """A command that prints one record after the other, each as soon as it is there."""

    kind = "stream"

    def __init__(self, app: Any, app_args: Any = None, cmd_name: str | None = None) -> None:
        super().__init__(app, app_args, cmd_name)
        #: What became of each stream of :meth:`read_streams`, filled while it runs.
        self.stream_stats: list[StreamStats] = []

    @abstractmethod
    def take_action(self, options: Any) -> Iterator[Document | RecordBatch]:
        """Give the records as they come, one by one or in batches."""

    def default_format(self) -> str:
        """Records are JSON Lines whatever stdout is."""
        return "json"

    def is_live(self, options: Any) -> bool:
        """Whether each item is flushed as it comes; on a terminal it always is."""
        return True

    def exit_status(self, options: Any) -> int:
        """Give the exit status once the last record is written."""
        return 0

    def read_streams(self, plan: StreamPlan) -> Iterator[RecordBatch]:
        """Read log streams of REST v2, as a snapshot or for as long as they last.

        A batch counts as written when the generator is resumed: only then a cursor moves on.

        :raises RpcliError: as :func:`rpcli.stream.follow.follow` and
            :func:`rpcli.stream.snapshot.snapshot`
        """
        from rpcli.stream.follow import follow
        from rpcli.stream.snapshot import snapshot

        read = follow if plan.follow else snapshot
        return read(
            plan,
            self.ctx.transport,
            clock=self.ctx.clock,
            note=self.ctx.note,
            summary=self.stream_stats,
            hub_watch=self._watch_stdout,
        )

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Print each item, and flush it."""
        options = self.options(parsed_args)
        stdout = self.ctx.stdout
        stdout.require()
        live = self.is_live(options) or stdout.isatty()
        try:
            for item in self.take_action(options):
                self._emit(item, parsed_args)
                if live:
                    stdout.flush()
        except PipeClosed:
            raise
        except BaseException:
            # Whatever ended it, what came before belongs to the user.
            stdout.flush()
            raise
        stdout.flush()
        return self.exit_status(options)

    def _emit(self, item: Document | RecordBatch, args: argparse.Namespace) -> None:
        whole = getattr(item, "documents", None)
        if whole is None:
            self._emit_documents(iter([item]), args)  # type: ignore[list-item]
            return
        batch: RecordBatch = item  # type: ignore[assignment]
        emit_batch = getattr(args.formatter, "emit_batch", None)
        if emit_batch is None or args.column:
            self._emit_documents(batch.documents(), args)
            return
        if self.ctx.settings.contract_mode != "off":
            for document in batch.documents():
                self.enforce(document)
        emit_batch(batch, self.ctx.stdout, args)

    def _emit_documents(self, documents: Iterator[Document], args: argparse.Namespace) -> None:
        chosen = set(args.column)
        for document in documents:
            self.enforce(document)
            shown = {k: v for k, v in document.items() if k in chosen} if chosen else document
            args.formatter.emit_record(shown, self.ctx.stdout, args)

    def _watch_stdout(self, hub: Hub[Any]) -> None:
        """Let the reading end at once when nobody reads what it gives, however silent it is."""
        from rpcli.stream.hub import HubClosed
        from rpcli.stream.interrupt import Interrupt

        def tell() -> None:
            with contextlib.suppress(HubClosed):
                hub.post(Interrupt(PipeClosed()))

        self.ctx.stdout.when_gone(tell)
