"""Feedback: how near a guess is to the secret. The design document's five rules, and their arithmetic.

1. Each value of the guess counts once: as an exact match, a partial match, or none.
2. Each value of the secret is matched once.
3. Exact matches come first.
4. Exact: the same value in the same place.
5. Partial: a value left over in the guess that equals a value left over in the secret.

Marking values off place by place, as the rules read, is not needed. However the marks are set, a
value that the guess has g times and the secret s times is matched min(g, s) times in all, exact
matches among them. So the partial matches are what the values have in common, less the exact ones;
`tests/games/mastermind` holds this against the marks. The count is symmetric: who guesses whom
makes no difference.

To compare one guess with many codes at once, see `games.mastermind.solver.lanes`.
"""

import re
from operator import eq

from attrs import field, frozen, validators

from games.mastermind.code import Code, CodeError

_WRITTEN = re.compile(r"([0-9]{1,3}) exact ([0-9]{1,3}) partial")


@frozen
class Feedback:
    """The number of right values in their place (`exact`), and of right values elsewhere (`partial`)."""

    exact: int = field(validator=validators.ge(0))
    partial: int = field(validator=validators.ge(0))

    @property
    def text(self) -> str:
        """The feedback in words, without a comma, at which clients cut lines: `1 exact 2 partial`."""
        return f"{self.exact} exact {self.partial} partial"

    @classmethod
    def read(cls, text: str) -> "Feedback":
        """The feedback that `text` tells: for protocols that send it in another form. ValueError on others."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            message = f"{text!r} is no feedback"
            raise ValueError(message)
        return cls(int(found[1]), int(found[2]))


def feedback_of(guess: Code, secret: Code) -> Feedback:
    """The feedback on a guess. Its cost grows with the length times the values.

    Both codes have the same length; raises `CodeError` where they have not, or are no tuples.
    """
    for code in (guess, secret):
        if not isinstance(code, tuple):
            raise CodeError(f"a code is a tuple of whole numbers, such as (0, 1, 2, 3), not {code!r:.100}")
    if len(guess) != len(secret):
        message = f"a guess of {len(guess)} values cannot be compared with a secret of {len(secret)}"
        raise CodeError(message)
    exact = sum(map(eq, guess, secret))
    common = 0
    for value in set(guess):
        common += min(guess.count(value), secret.count(value))
    return Feedback(exact, common - exact)
