"""Which pod a word means."""

from __future__ import annotations

import pytest
from snapshots import classic_pod

from rpcli.errors import Conflict, NotFound
from rpcli_ssh.selection import find_pod

# A25
PODS = [
    classic_pod(id="a1", name="b2"),
    classic_pod(id="b2", name="x"),
    classic_pod(id="c3", name="x"),
]


@pytest.mark.parametrize(("word", "found"), [("a1", "a1"), ("b2", "b2"), ("c3", "c3")])
def test_an_id_goes_before_a_name(word, found):
    assert find_pod(PODS, word).id == found


def test_a_name_is_enough_where_it_is_the_only_one():
    assert find_pod(PODS[:1], "b2").id == "a1"


def test_a_name_that_fits_several_is_told_with_their_ids():
    with pytest.raises(Conflict) as caught:
        find_pod(PODS, "x")
    assert caught.value.message == "the name 'x' fits several pods: b2, c3"


@pytest.mark.parametrize("word", ["nosuch", "A1", "b", "x ", ""])
def test_words_are_exact(word):
    with pytest.raises(NotFound) as caught:
        find_pod(PODS, word)
    assert caught.value.id == word


def test_there_may_be_no_pod_at_all():
    with pytest.raises(NotFound):
        find_pod([], "p1")
