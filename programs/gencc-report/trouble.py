"""What ends the program with one clear line."""


class Trouble(Exception):
    """Bad input or a failed step: the text is the line, the status is 2."""
