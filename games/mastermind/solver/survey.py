"""The worth of a breaker: the number of guesses that it needs for every secret."""

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import frozen

from games.mastermind.board import Turn
from games.mastermind.code import Code, CodeSpace
from games.mastermind.configuration import Configuration
from games.mastermind.feedback import Feedback, feedback_of
from games.mastermind.solver.breakers import Breaker
from gameserver.game import Choose


@frozen
class Survey:
    """The number of secrets by the number of guesses that they took."""

    secrets_by_guesses: Mapping[int, int]

    @property
    def total(self) -> int:
        """The guesses over all secrets, the figure that the literature compares."""
        return sum(guesses * secrets for guesses, secrets in self.secrets_by_guesses.items())

    @property
    def average(self) -> float:
        """Guesses to a secret."""
        return self.total / sum(self.secrets_by_guesses.values())

    @property
    def worst(self) -> int:
        """The most guesses that any secret took."""
        return max(self.secrets_by_guesses)


def survey(breaker: Breaker, configuration: Configuration, choose: Choose[int]) -> Survey:
    """Let a breaker find every secret of a configuration, without a limit to its guesses.

    Secrets that have answered alike so far are found by the same guesses, so each guess is asked for once.
    """
    found: Counter[int] = Counter()
    waiting: list[tuple[tuple[Turn, ...], Sequence[Code]]] = [((), CodeSpace(configuration))]
    while waiting:
        turns, secrets = waiting.pop()
        guess = breaker(configuration, turns, choose)
        alike: dict[Feedback, list[Code]] = {}
        for secret in secrets:
            alike.setdefault(feedback_of(guess, secret), []).append(secret)
        for feedback, rest in alike.items():
            if feedback.exact == configuration.code_length:
                found[len(turns) + 1] += len(rest)
            else:
                waiting.append(((*turns, Turn(guess, feedback)), rest))
    return Survey(dict(sorted(found.items())))
