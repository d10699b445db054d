"""Wants to be the json formatter."""


class Formatter:
    """Prints what it likes."""

    human = False

    def add_argument_group(self, parser: object) -> None:
        pass

    def emit_list(self, columns: object, data: object, stdout: object, args: object) -> None:
        stdout.write("MINE\n")

    emit_one = emit_list
