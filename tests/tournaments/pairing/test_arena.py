"""Arena: until the time is up, whoever is free meets somebody near."""

from gameserver.tournaments.plan import Draw, Format, Plan
from tests.tournaments.playing import World, started

ARENA = Plan("arena", "Reversi", Format.ARENA, duration_ms=60_000, draw=Draw.RATING)


def test_nobody_meets_the_same_a_third_time_running_while_others_play():
    world = World(started(ARENA, 8), 3)
    world.run()
    met: dict[str, list[tuple[str, int]]] = {}
    for pairing in world.tournament.pairings:
        for name in pairing.seats:
            met.setdefault(name, []).append(pairing.opponent(name))
    runs = [
        opponents[index : index + 3]
        for opponents in met.values()
        for index in range(len(opponents) - 2)
        if len(set(opponents[index : index + 3])) == 1
    ]
    assert not runs
