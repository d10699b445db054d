"""The sixteen lints for authors of output schemas, as data and as one function. Pure.

Rules: a lint looks at the schema, and at examples through the function that it is given; it does
not validate by itself. What a lint finds is named by rule and by a place in the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rpcli.contract import lint_examples, lint_properties, lint_structure
from rpcli.contract.lint_subject import Fits, Found, Subject
from rpcli.contract.references import Load


class Lint(NamedTuple):
    """One rule: what it wants, and what looks for offences."""

    text: str
    find: Callable[[Subject], Found]


@dataclass(frozen=True, slots=True)
class Finding:
    """One offence.

    :param rule: ``OUT-L01`` to ``OUT-L16``
    :param pointer: a JSON pointer into the schema
    """

    rule: str
    pointer: str
    message: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.pointer or 'the root'}: {self.message}"


LINTS: Mapping[str, Lint] = {
    "OUT-L01": Lint(
        "no additionalProperties or unevaluatedProperties: false in what is published",
        lint_structure.objects_are_open,
    ),
    "OUT-L02": Lint(
        "a closed enum says x-closed-because; an open set is x-extensible-enum",
        lint_structure.closed_sets_have_a_reason,
    ),
    "OUT-L03": Lint(
        "text for people has a stable code or reason beside it",
        lint_properties.messages_have_a_token,
    ),
    "OUT-L04": Lint(
        "a version stamp has the pattern of its major, never a const",
        lint_properties.version_stamps_have_a_pattern,
    ),
    "OUT-L05": Lint(
        "every property is described, and every token of a set",
        lint_properties.everything_is_described,
    ),
    "OUT-L06": Lint(
        "a moment has format date-time and a pattern that ends in Z",
        lint_properties.moments_are_utc,
    ),
    "OUT-L07": Lint(
        "durations, sizes, rates and money carry x-unit, and the name carries it too",
        lint_properties.quantities_have_a_unit,
    ),
    "OUT-L08": Lint(
        "a property is absent or null, not both, unless it says what each means",
        lint_properties.absent_or_null,
    ),
    "OUT-L09": Lint(
        "what is always there is required",
        lint_examples.always_there_is_required,
    ),
    "OUT-L10": Lint(
        "an array says x-ordered-by or x-unordered, and uniqueItems where its items have an id",
        lint_structure.arrays_say_their_order,
    ),
    "OUT-L11": Lint(
        "$id holds surface, command and major, and is that of the file",
        lint_structure.id_names_command_and_major,
    ),
    "OUT-L12": Lint(
        "two examples or more, full and minimal, fit the published and the strict view",
        lint_examples.examples_fit_and_show_everything,
    ),
    "OUT-L13": Lint(
        "variants of an object have a key that tells them apart",
        lint_structure.variants_can_be_told_apart,
    ),
    "OUT-L14": Lint(
        "every reference leads to a schema that ships: nothing is fetched",
        lint_structure.references_stay_at_home,
    ),
    "OUT-L15": Lint(
        "what is deprecated names its removal and replacement; a removed name stays away",
        lint_structure.what_goes_is_announced,
    ),
    "OUT-L16": Lint(
        "only keywords that the contract models, and formats that are checked",
        lint_structure.keywords_are_known,
    ),
}


def lint(
    schema: Mapping[str, Any], fits: Fits, *, load: Load | None = None, file: str | None = None
) -> list[Finding]:
    """Give every offence of a valid schema, by rule.

    :param fits: tells what is wrong with a document in a view of this schema
    :param load: gives other schemas by their ``$id``
    :param file: ``<surface>/<name>.v<major>``, where it is known
    """
    subject = Subject(schema, fits, load, file)
    return [
        Finding(rule, place, message)
        for rule, one in LINTS.items()
        for place, message in one.find(subject)
    ]
