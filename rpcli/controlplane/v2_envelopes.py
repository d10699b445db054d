"""What the lists of REST v2 are wrapped in: pages, keys, network volumes. Pure.

Rules: a list that cannot be read whole is refused, since a part of it would look like all.
"""

from __future__ import annotations

from typing import NamedTuple

from rpcli.controlplane.fields import Fields, Problems, kind_of
from rpcli.controlplane.podparts import read_network_volume
from rpcli.errors import UnexpectedResponse


class Page(NamedTuple):
    """One page of a list, and the cursor of the next where there is one."""

    elements: list[object]
    cursor: str | None


def read_page(body: object) -> Page:
    """Read a page of pods.

    :raises UnexpectedResponse: no list of pods, or a next page without a cursor
    """
    if not isinstance(body, dict):
        raise unexpected("the list of pods", "an object with 'pods'", body)
    elements = body.get("pods")
    if not isinstance(elements, list):
        raise unexpected("the list of pods", "a list under 'pods'", elements)
    pagination = body.get("pagination")
    if pagination is None:
        # A server without pagination sends one page.
        return Page(elements, None)
    if not isinstance(pagination, dict):
        raise unexpected("the list of pods", "an object under 'pagination'", pagination)
    cursor = pagination.get("nextCursor")
    if not pagination.get("hasNextPage", bool(cursor)):
        return Page(elements, None)
    if not isinstance(cursor, str) or not cursor:
        raise unexpected("the list of pods, which goes on,", "a text as 'nextCursor'", cursor)
    return Page(elements, cursor)


def read_keys(body: object) -> tuple[str, ...]:
    """Read the account's public keys.

    :raises UnexpectedResponse: no list of texts under ``keys``
    """
    keys = body.get("keys") if isinstance(body, dict) else body
    if not isinstance(body, dict) or not isinstance(keys, list):
        raise unexpected("the account's ssh keys", "a list under 'keys'", keys)
    return tuple(key.strip() for key in keys if isinstance(key, str) and key.strip())


def find_network_volume(
    body: object, volume_id: str, problems: Problems
) -> dict[str, object] | None:
    """Find a network volume in the account's list.

    :raises UnexpectedResponse: no list under ``networkVolumes``
    """
    volumes = body.get("networkVolumes") if isinstance(body, dict) else body
    if not isinstance(body, dict) or not isinstance(volumes, list):
        raise unexpected("the list of network volumes", "a list under 'networkVolumes'", volumes)
    found = (v for v in volumes if isinstance(v, dict) and v.get("id") == volume_id)
    volume = next(found, None)
    return volume and read_network_volume(Fields(volume, "networkVolume", problems))


def unexpected(what: str, wanted: str, came: object) -> UnexpectedResponse:
    """Make the error for an answer of another shape; what came is named by its type only."""
    return UnexpectedResponse(f"{what}: {wanted} was expected, and {kind_of(came)} came", api="v2")
