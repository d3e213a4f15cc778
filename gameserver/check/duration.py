"""The time that scenarios take with a client that answers at once, without the starts of its program.

It is said before a check, and bounds what `--level required` may take. The times of steps were measured with the
example clients; most of them are silences of the wire that are waited for.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gameserver.check import steps
from gameserver.check.scenario import Scenario
from gameserver.check.steps import Placed, Repeat
from gameserver.proxy.faults import faults_of

_SCENARIO_S = 0.4
"""Server, relay, the silence at the end, and the end of the program."""
_MOVES_PER_MATCH = 10
_STEPS_S: Mapping[type[steps.Step], Callable[[Any], float]] = {
    steps.ComesIn: lambda _: 0.1,
    steps.Meets: lambda _: 0.3,
    steps.SitsDown: lambda _: 0.2,
    steps.MatchPlayedToEnd: lambda _: 0.2,
    steps.MatchesUntil: lambda _: 2.0,
    steps.Thinks: lambda step: step.time_s,
    steps.LineIsLate: lambda step: step.time_s,
    steps.ClientSendsNothing: lambda step: 0.1 + step.time_s,
    steps.ClientDoesNotMove: lambda step: step.time_s,
    steps.ClientIsCutOff: lambda step: step.time_s,
    steps.ServerRestarts: lambda step: 0.3 + step.time_s,
    steps.ComesBack: lambda _: 1.0,
    steps.TimePasses: lambda step: step.time_s if step.time_s < 1.0 else 1.5 + step.time_s / 100,
}
"""Those that take no time worth mention, such as a word of an opponent, are not here."""
_MOVES: Mapping[type[steps.Step], Callable[[Any], int]] = {
    steps.MovesArePlayed: lambda step: step.count,
    steps.Moves: lambda _: 1,
    steps.MatchPlayedToEnd: lambda _: _MOVES_PER_MATCH,
    steps.MatchesUntil: lambda _: 3 * _MOVES_PER_MATCH,
}
_SILENCES = (steps.ComesIn, steps.Meets, steps.Resigns)
"""Steps that wait until nothing is under way any more, for a line there and one back."""


def expected_s(scenario: Scenario) -> float:
    """The time that a scenario takes."""
    wires = [faults_of(text) for text in (scenario.wire.to_client, scenario.wire.to_server)]
    way_s = sum(wire.delay_us + wire.coalesce_us for wire in wires) / 1_000_000
    total_s = _SCENARIO_S + 2 * way_s
    for step in _in_order(scenario.steps):
        kind = type(step)
        total_s += _STEPS_S.get(kind, lambda _: 0.0)(step)
        total_s += way_s * (_MOVES.get(kind, lambda _: 0)(step) / 2 + 2 * (kind in _SILENCES))
    return total_s


def _in_order(placed: Iterable[Placed]) -> Iterable[steps.Step]:
    for one in placed:
        if isinstance(one.step, Repeat):
            for _ in range(one.step.count):
                yield from _in_order(one.step.steps)
        else:
            yield one.step
