"""What is raised when something does not hold."""


class Violation(AssertionError):
    """Something that must never be. `rule` says what ought to hold, in a few words."""

    def __init__(self, rule: str, found: str) -> None:
        super().__init__(f"{rule}: {found}")
        self.rule = rule
