"""Wants to be the json formatter."""


class Formatter:
    """Prints what it likes."""

    human = False

    def add_argument_group(self, parser: object) -> None:
        pass

    def emit_list(self, _columns: object, _data: object, stdout: object, _args: object) -> None:
        stdout.write("MINE\n")

    emit_one = emit_list
