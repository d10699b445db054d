"""Closing held against an oracle: a few lines that walk the document and not the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rpcli.contract.validate import DocumentValidator

NAMES = "abc"
DEFINITIONS = ("m", "n")


def leaves() -> st.SearchStrategy[Any]:
    return st.sampled_from([{"type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/n"}])


def objects(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects by properties, by ``allOf`` and by reference, that may say more of one another."""
    described = st.dictionaries(st.sampled_from(NAMES), children, max_size=2)
    plain = described.map(lambda properties: {"type": "object", "properties": properties})
    refers = st.sampled_from(DEFINITIONS).map(lambda name: {"$ref": f"#/$defs/{name}"})
    both = st.tuples(plain, refers).map(lambda pair: pair[0] | pair[1])
    several = st.lists(plain | refers | both, min_size=1, max_size=3)
    return plain | both | several.map(lambda parts: {"allOf": parts})


def places(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arrays = children.map(lambda items: {"type": "array", "items": items})
    return objects(children) | arrays


SUBSCHEMAS = st.recursive(leaves(), places, max_leaves=6)
PLAIN = st.dictionaries(st.sampled_from(NAMES), SUBSCHEMAS, max_size=3).map(
    lambda properties: {"type": "object", "properties": properties}
)
SCHEMAS = st.builds(
    lambda root, m, n: {**root, "$defs": {"m": m, "n": n}}, objects(SUBSCHEMAS), PLAIN, PLAIN
)
DOCUMENTS = st.recursive(
    st.sampled_from(["x", 1, {}]),
    lambda inner: (
        st.dictionaries(st.sampled_from(NAMES + "z"), inner, max_size=3)
        | st.lists(inner, max_size=2)
    ),
    max_leaves=6,
)
THOROUGH = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def unfolded(root: Any, schema: Any) -> Iterator[Any]:
    """Give all that speaks of one place; everything here holds of every document."""
    yield schema
    if "$ref" in schema:
        yield from unfolded(root, root["$defs"][schema["$ref"].rpartition("/")[2]])
    for part in schema.get("allOf", ()):
        yield from unfolded(root, part)


def is_known(root: Any, schemas: list[Any], document: Any) -> bool:
    """Tell whether every key of a document is described at its place by something."""
    parts = [part for schema in schemas for part in unfolded(root, schema)]
    if isinstance(document, dict):
        described = [part["properties"] for part in parts if "properties" in part]
        return not described or all(
            (here := [names[key] for names in described if key in names])
            and is_known(root, here, value)
            for key, value in document.items()
        )
    if isinstance(document, list):
        items = [part["items"] for part in parts if "items" in part]
        return all(is_known(root, items, element) for element in document)
    return True


@THOROUGH
@given(SCHEMAS, st.lists(DOCUMENTS, min_size=1, max_size=8))
def test_what_is_closed_takes_what_is_published_and_known(schema, documents):
    published = DocumentValidator(schema, "published")
    closed = DocumentValidator(schema, "enforced")
    for document in documents:
        expected = not published.violations(document) and is_known(schema, [schema], document)
        assert (not closed.violations(document)) == expected


def branching(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with branches and conditions that refine them, or know more."""
    plain = st.dictionaries(st.sampled_from(NAMES), children, max_size=2).map(
        lambda properties: {"type": "object", "properties": properties}
    )
    tests = st.sampled_from([{"required": ["a"]}, {"properties": {"b": {"type": "string"}}}])
    chosen = st.lists(plain, min_size=1, max_size=2)
    return (
        st.builds(lambda whole, some: {**whole, "anyOf": some}, plain, chosen)
        | st.builds(
            lambda whole, if_, then: {**whole, "if": if_, "then": then}, plain, tests, plain
        )
        | st.builds(lambda whole, more: {**whole, "dependentSchemas": {"a": more}}, plain, plain)
        | plain
    )


BRANCHING = st.recursive(leaves(), branching, max_leaves=6)
BRANCHING_SCHEMAS = st.builds(
    lambda root, n: {**root, "$defs": {"n": n, "m": {}}}, branching(BRANCHING), PLAIN
)


@THOROUGH
@given(BRANCHING_SCHEMAS, st.lists(DOCUMENTS, min_size=1, max_size=8))
def test_closing_only_ever_refuses_unknown_keys(schema, documents):
    """Never a document that consumers would not take, and none refused that is known for sure."""
    published = DocumentValidator(schema, "published")
    closed = DocumentValidator(schema, "strict")
    for document in documents:
        takes = not closed.violations(document)
        fits = not published.violations(document)
        assert fits or not takes
        if fits and is_known(schema, [schema], document):
            assert takes
