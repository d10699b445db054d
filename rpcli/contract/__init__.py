"""The output contract: schemas, their views, validation, and the rules for those who write them.

===========  ============================================================================
registry     where schemas are: data of packages, by reference or by ``$id``
references   one schema with all that it refers to; nothing is fetched
views        published, strict, enforced (closing: how objects are closed)
validate     documents against a view: places and rules, never values
enforce      what a command is about to print
projection   the schema of what is left when some fields are asked for
lints        the sixteen rules for authors; authoring applies them to a schema that ships
===========  ============================================================================

Rules: everything but registry, validate, enforce and authoring is pure; only validate imports
jsonschema, and to import this package imports none of them.
"""
