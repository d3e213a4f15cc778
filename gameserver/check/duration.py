"""The time that scenarios take with a client that answers at once, without the starts of its program.

It is said before a check, and bounds what `--level required` may take. The times of steps were measured with the
example clients; most of them are silences of the wire that are waited for. A client that waits to be called gets a
pause before each match but the first.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gameserver.check import steps
from gameserver.check.match_acts import PAUSE_S, QUIET_S
from gameserver.check.scenario import Scenario
from gameserver.check.steps import Placed, Repeat
from gameserver.proxy.faults import faults_of

_SCENARIO_S = 0.2  # measured
"""Server, relay, the silence at the end, and the end of the program."""
_MOVES_PER_MATCH = 10
_STEPS_S: Mapping[type[steps.Step], Callable[[Any], float]] = {
    steps.ComesIn: lambda step: 0.1 if step.who == steps.CLIENT else 0.0,
    steps.Meets: lambda _: 0.4,
    steps.SitsDown: lambda _: 0.2,
    steps.MatchPlayedToEnd: lambda _: 0.2,
    steps.MatchesUntil: lambda _: 1.0,
    steps.Thinks: lambda step: step.time_s,
    steps.LineIsLate: lambda step: step.time_s,
    steps.ClientSendsNothing: lambda step: 0.1 + step.time_s,
    steps.ClientDoesNotMove: lambda step: step.time_s,
    steps.ClientIsCutOff: lambda step: step.time_s,
    steps.ServerRestarts: lambda step: 0.3 + step.time_s,
    steps.ClientGoesThroughRestart: lambda _: 0.5,
    steps.ComesBack: lambda _: 1.0,
    steps.TimePasses: lambda step: step.time_s if step.time_s < 1.0 else 1.5 + step.time_s / 100,
}
"""Those that take no time worth mention, such as a word of an opponent, are not here."""
_MOVES: Mapping[type[steps.Step], Callable[[Any], int]] = {
    steps.MovesArePlayed: lambda step: step.count,
    steps.Moves: lambda _: 1,
    steps.MatchPlayedToEnd: lambda _: _MOVES_PER_MATCH,
    steps.MatchesUntil: lambda _: 2 * _MOVES_PER_MATCH,
}
_MATCHES: Mapping[type[steps.Step], int] = {steps.Meets: 1, steps.MatchesUntil: 2}
_SILENCES = (steps.ComesIn, steps.Meets, steps.Resigns)
"""Steps that wait until nothing is under way any more, for a line there and one back."""


def expected_s(scenario: Scenario, *, is_called: bool) -> float:
    """Estimates the seconds that a scenario of a check takes, told before it begins.

    `is_called` is for a client that asks for no match.
    """
    wires = [faults_of(text) for text in (scenario.wire.to_client, scenario.wire.to_server)]
    ways_s = [(wire.delay_us + wire.jitter_us + wire.coalesce_us) / 1_000_000 for wire in wires]
    silence_s = 2 * max(ways_s)
    total_s, matches = _SCENARIO_S + silence_s, 0
    for step in _in_order(scenario.steps):
        kind = type(step)
        total_s += _STEPS_S.get(kind, lambda _: 0.0)(step)
        total_s += sum(ways_s) * _MOVES.get(kind, lambda _: 0)(step) / 2 + silence_s * (kind in _SILENCES)
        matches += _MATCHES.get(kind, 0)
    # Measured with examples/python, level required: 46 s if the client asks for its matches, 59 s if it is called.
    return total_s + is_called * max(0, matches - 1) * (PAUSE_S - QUIET_S)


def _in_order(placed: Iterable[Placed]) -> Iterable[steps.Step]:
    for one in placed:
        if isinstance(one.step, Repeat):
            for _ in range(one.step.count):
                yield from _in_order(one.step.steps)
        else:
            yield one.step
