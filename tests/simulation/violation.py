"""The exception for a broken rule."""


class Violation(AssertionError):
    """A rule that was broken. `rule` says what ought to hold, in a few words."""

    def __init__(self, rule: str, found: str) -> None:
        super().__init__(f"{rule}: {found}")
        self.rule = rule
