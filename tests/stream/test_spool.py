from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest

from rpcli.errors import FileError
from rpcli.stream.records import Record
from rpcli.stream.spool import PIECE, Spools


def record(n: int, text: str = "x", source: str = "container", ts: str | None = None) -> Record:
    body = json.dumps({"source": source, "line": f"{n} {text}", "ts": ts})[:-1]
    return Record(f"id-{n}", body, source, ts)


@pytest.fixture
def spools():
    made = []

    def make(*args, **named):
        made.append(Spools(*args, **named))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_what_is_small_stays_in_memory(spools):
    shared = spools()
    spool = shared.make()
    spool.append([record(1), record(2)])
    assert list(spool) == [record(1), record(2)]
    assert shared.bytes_on_disk == 0


def test_what_is_too_much_for_memory_comes_back_in_its_order(spools):
    shared = spools(limit=10_000)
    one, other = shared.make(), shared.make()
    for n in range(300):
        one.append([record(2 * n), record(2 * n + 1)])
        other.append([record(n, "other")])
    assert shared.bytes_on_disk > 0
    assert list(one) == [record(n) for n in range(600)]
    assert list(other) == [record(n, "other") for n in range(300)]


def test_the_limit_is_for_all_spools_together(spools):
    shared = spools(limit=100_000)
    many = [shared.make() for _ in range(50)]
    for spool in many:
        spool.append([record(n) for n in range(10)])
    assert shared.bytes_on_disk > 0
    assert [list(spool) for spool in many] == [[record(n) for n in range(10)]] * 50


def test_a_spool_can_be_read_in_turns_with_others(spools):
    shared = spools(limit=1000)
    one, other = shared.make(), shared.make()
    for n in range(50):
        one.append([record(n)])
        other.append([record(n, "other")])
    both = [pair for pairs in zip(one, other, strict=True) for pair in pairs]
    assert both[:4] == [record(0), record(0, "other"), record(1), record(1, "other")]
    assert len(both) == 100


def test_every_text_comes_back_as_it_was(spools):
    shared = spools(limit=0)
    spool = shared.make()
    odd = [
        Record("", '{"source":"a\\nb","line":"","ts":null', "a\nb", None),
        Record(
            "\x01\u2028\U0001f600",
            '{"source":"\\ufffd","line":"\\u0000","ts":"\\n"',
            "\ud800",
            "\n",
        ),
    ]
    spool.append(odd)
    assert shared.bytes_on_disk > 0
    assert list(spool) == odd
    assert all(type(r) is Record for r in spool)


def test_it_is_written_in_pieces_that_are_read_one_at_a_time(spools, monkeypatch):
    shared = spools(limit=20 * PIECE)
    spool = shared.make()
    for n in range(21):
        spool.append([record(n, "x" * PIECE)])
    read = []
    monkeypatch.setattr(
        shared, "read", lambda at, size: read.append(size) or os.pread(fd, size, at)
    )
    fd = shared._file.fileno()
    assert next(iter(spool)) == record(0, "x" * PIECE)
    assert len(read) == 1
    assert read[0] < 2 * PIECE


def test_the_file_has_no_name(spools, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    shared = spools(limit=0)
    shared.make().append([record(1)])
    assert shared.bytes_on_disk > 0
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_is_an_error_with_a_way_out(spools):
    """C01 has it for the network: what cannot be kept is told, and not left out."""
    shared = spools(limit=0, make_file=lambda: Path("/dev/full").open("r+b", buffering=0))  # noqa: SIM115 - the spool closes it
    with pytest.raises(FileError, match="No space left on device") as caught:
        shared.make().append([record(1)])
    assert caught.value.error_code == "io_error"
    assert "TMPDIR" in caught.value.hint


def test_a_folder_for_temporary_files_that_is_not_there_is_such_an_error(
    spools, monkeypatch, tmp_path
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(FileError, match="No such file"):
        spools(limit=0).make().append([record(1)])


def test_a_write_that_takes_a_part_is_gone_on_with(spools, tmp_path):
    class Short:
        """A file that takes ten bytes at a time."""

        def __init__(self) -> None:
            self._file = (tmp_path / "short").open("w+b", buffering=0)
            self.fileno, self.close = self._file.fileno, self._file.close

        def write(self, data: memoryview) -> int:
            return self._file.write(data[:10])

    shared = spools(limit=0, make_file=Short)
    spool = shared.make()
    spool.append([record(n) for n in range(20)])
    assert list(spool) == [record(n) for n in range(20)]
