"""``pod logs`` and ``serverless logs``."""

from __future__ import annotations

import argparse
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing

from rpcli.plugin import (
    NotFound,
    RecordBatch,
    RpcliError,
    StreamCommand,
    StreamPlan,
    StreamTarget,
    UsageError,
)
from rpcli_logs.arguments import add_log_arguments, add_worker_arguments, meant_follow
from rpcli_logs.options import LogOptions, pod_options, serverless_options
from rpcli_logs.saving import SaveFile
from rpcli_logs.selection import Selection
from rpcli_logs.summary import summary_document, summary_line, summary_texts
from rpcli_logs.watching import Watch
from rpcli_logs.workers import WorkerListing, worker_target


class _LogsCommand(StreamCommand):
    """Reads log streams, shows what was asked for, and ends where it is found."""

    #: Records that were printed; None where nothing was begun.
    _shown: int | None = None

    def parse(self, argv: Sequence[str], tail: Sequence[str] | None) -> argparse.Namespace:
        """Parse, and help whoever takes ``-f`` for following, as it is elsewhere."""
        try:
            return super().parse(argv, tail)
        except UsageError as error:
            formats = self.ctx.discovery.formatters(self.kind)
            error.hint = meant_follow(argv, formats, error.message) or error.hint
            raise

    def is_live(self, options: LogOptions) -> bool:
        """Flush what comes at once, unless it is a snapshot: that is over soon."""
        return options.follow or options.resume is not None

    def take_action(self, options: LogOptions) -> Iterator[RecordBatch]:
        """Read, choose, keep, and look for the end."""
        self._shown = 0
        selection, watch = Selection(options), Watch(options)
        with ExitStack() as stack:
            save = None if options.save is None else stack.enter_context(SaveFile(options.save))
            batches = stack.enter_context(closing(self._read(options)))
            for batch in batches:
                shown = selection.apply(batch)
                match = watch.find(shown.records, shown.worker)
                if match is not None:
                    shown = shown._replace(records=shown.records[: match.place + 1])
                if shown.records:
                    if save is not None:
                        save.write(shown)
                    yield shown
                    self._shown += len(shown.records)
                if match is not None:
                    if match.error is not None:
                        raise match.error
                    return
        missed = watch.not_found()
        if missed is not None:
            raise missed

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Print the records, and at the very end what became of the streams."""
        code = None
        try:
            return super().run(parsed_args)
        except RpcliError as error:
            code = error.error_code
            raise
        finally:
            if parsed_args.summary and self._shown is not None:
                self._tell_summary(code)

    @abstractmethod
    def plan(self, options: LogOptions) -> StreamPlan:
        """Say what is read."""

    @abstractmethod
    def about(self, options: LogOptions, error: RpcliError) -> RpcliError:
        """Say what an error of the API is about."""

    def _read(self, options: LogOptions) -> Generator[RecordBatch]:
        try:
            yield from self.read_streams(self.plan(options))
        except RpcliError as error:
            if error.api is not None and error.id is None:
                error.id = options.subject_id
            began = any(stats.lines for stats in self.stream_stats)
            raise error if began else self.about(options, error) from None

    def _tell_summary(self, code: str | None) -> None:
        document = summary_document(self.stream_stats, self._shown or 0, code)
        if self.ctx.human:
            for text in summary_texts(document):
                self.ctx.stderr.line(f"rpcli: summary: {text}")
        else:
            self.ctx.stderr.line(summary_line(document))


class PodLogs(_LogsCommand):
    """Show or follow the log of a pod.

    Without --follow it shows the latest lines and ends, whether or not the pod is running. Each
    line is a record: where it comes from (container or system), its text, and its time. They are
    printed as JSON Lines; -f text is for people.
    """

    columns = ("source", "line", "ts", "truncated", "raw")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the id, and what to read."""
        parser.add_argument("id", metavar="ID", help="the id of a pod")
        add_log_arguments(parser)

    def options(self, args: argparse.Namespace) -> LogOptions:
        """Check what was typed."""
        return pod_options(args, self.ctx.now())

    def plan(self, options: LogOptions) -> StreamPlan:
        """Read one stream."""
        pod_id = options.subject_id
        return _plan(options, f"pod {pod_id}")._replace(
            targets=(StreamTarget(("pods", pod_id, "logs")),)
        )

    def about(self, options: LogOptions, error: RpcliError) -> RpcliError:
        """Say that there is no such pod, where that is what it means."""
        if error.status != 404:
            return error
        return NotFound(
            f"there is no pod '{options.subject_id}'",
            status=404,
            id=options.subject_id,
            api=error.api,
            hint="a pod goes by its id here: 'rpcli pod list -a' shows them",
        )


class ServerlessLogs(_LogsCommand):
    """Show or follow the logs of an endpoint's workers, each record with the id of its worker.

    Without --follow it shows the latest lines of every worker, in the order of their times, and
    ends. With --follow workers that join later are read as well.
    """

    columns = ("source", "line", "ts", "truncated", "raw", "workerId")
    _listing: WorkerListing | None = None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the id, what to read, and of whom."""
        parser.add_argument("id", metavar="ID", help="the id of an endpoint")
        add_worker_arguments(parser)
        add_log_arguments(parser)

    def options(self, args: argparse.Namespace) -> LogOptions:
        """Check what was typed."""
        return serverless_options(args, self.ctx.now())

    def plan(self, options: LogOptions) -> StreamPlan:
        """Read the workers that were named, or all that there are."""
        endpoint_id = options.subject_id
        plan = _plan(options, f"endpoint {endpoint_id}")
        if options.workers:
            targets = tuple(worker_target(endpoint_id, worker) for worker in options.workers)
            return plan._replace(targets=targets)
        transport = self.ctx.transport
        self._listing = WorkerListing(endpoint_id, lambda *path: transport.rest_v2("GET", *path))
        return plan._replace(discover=self._listing)

    def about(self, options: LogOptions, error: RpcliError) -> RpcliError:
        """Say that there is no such worker, where that is what it means."""
        if error.status != 404 or len(options.workers) != 1:
            return error
        return NotFound(
            f"there is no worker '{options.workers[0]}' of an endpoint '{options.subject_id}'",
            status=404,
            id=options.workers[0],
            api=error.api,
            hint="only workers that are active have logs; without --worker every one is read",
        )

    def _read(self, options: LogOptions) -> Generator[RecordBatch]:
        try:
            with closing(super()._read(options)) as batches:
                for batch in batches:
                    self._tell_left_out()
                    yield batch
        finally:
            self._tell_left_out()

    def _tell_left_out(self) -> None:
        if self._listing is not None:
            self._listing.tell(self.ctx.note)


def _plan(options: LogOptions, subject: str) -> StreamPlan:
    plan = StreamPlan(
        targets=None,
        subject=subject,
        follow=options.follow,
        source=options.source,
        tail=options.tail,
        since=options.since,
        until=options.until,
        max_streams=options.max_streams,
        resume=options.resume,
    )
    return plan if options.max_wait is None else plan._replace(max_wait=options.max_wait)
