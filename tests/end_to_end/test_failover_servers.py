"""A leader that dies, or is stopped and goes on: the standby takes over, nothing acknowledged is lost or told twice.

A round or two of each here, many with `-m slow`. `failover` and `text_survivor` tell what is checked.
"""

import random
import signal
from collections.abc import Callable
from functools import partial

import trio

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.failover import Hall, play_through, repeated
from tests.end_to_end.support import GOODBYE


@repeated(soon=1)
async def test_standby_takes_over_from_a_killed_leader(database, new_hall, run, rounds):
    async def killed(hall: Hall, chance: random.Random) -> None:
        if chance.random() < 0.8:
            await hall.standby.stands_by()
        generation, dead = hall.generation, hall.leader
        await hall.strike(chance, dead.kill)
        await hall.lead_after(generation)
        dead.rejoin()

    hall = new_hall(database, database)
    await play_through(hall, database, run, rounds, killed)


@repeated(soon=0)
async def test_one_of_two_leads_that_start_at_the_same_instant(database, new_hall, run, rounds):
    async def started_together(hall: Hall, chance: random.Random) -> None:
        generation = hall.generation

        def kill() -> None:
            for member in hall.members:
                member.kill()

        await hall.strike(chance, kill)
        for member in chance.sample(hall.members, 2):
            member.rejoin()
            await trio.sleep(chance.choice([0, 0, chance.uniform(0, 0.3)]))
        await hall.lead_after(generation)
        await hall.standby.stands_by()
        assert not hall.standby.leads
        assert hall.generation == generation + 1

    hall = new_hall(database, database)
    await play_through(hall, database, run, rounds, started_together)


def stopped(for_s: Callable[[random.Random], float]) -> Callable[[Hall, random.Random], object]:
    """The leader is stopped, and continued when the other server leads and so much time has passed."""

    async def fault(hall: Hall, chance: random.Random) -> None:
        await hall.standby.stands_by()
        generation, old = hall.generation, hall.leader
        loyal = [old.client(f"loyal{number}") for number in range(2)]
        for client in loyal:
            client.hears_nothing()
        await hall.strike(chance, partial(old.process.send_signal, signal.SIGSTOP))
        since_s = trio.current_time()
        # A refusal needs no commit, a question not even a decision. Both wait for the database's word.
        loyal[0].send("move 1")
        loyal[1].send("get playerlist")
        await hall.after(generation)
        hall.end_sessions(old)
        await hall.moves(1)
        await trio.sleep_until(since_s + for_s(chance))
        old.process.send_signal(signal.SIGCONT)
        assert "another server leads" in await old.stops_with_one_line()
        for client in loyal:
            assert client.rest() in ([], [GOODBYE])
        old.rejoin()

    return fault


def test_quiet_leader_that_was_stopped_answers_no_question(database, new_hall):
    old, new = new_hall(database, database).members
    old.start()
    new.launch()
    new.printed.wait_for("standing by")
    players = {name: old.client(name) for name in ("ann", "bob")}
    first, second = begin(*players.values())
    play(first, second, 4)
    questions = {"cyd": "move 1", "dan": "get playerlist", "eve": "challenge ann Reversi"}
    askers = {name: old.client(name) for name in questions}
    old.process.send_signal(signal.SIGSTOP)
    for name, question in questions.items():
        askers[name].send(question)
    new.wait_until_it_listens()
    old.process.send_signal(signal.SIGCONT)
    assert old.wait() == 1
    assert "another server leads" in old.log.lines[-1]
    for client in (*players.values(), *askers.values()):
        assert client.rest() in ([], [GOODBYE])
    for name, client in players.items():
        again = new.client(name)
        again.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "')
        if client is second:
            again.expect("SVR GAME YOURTURN ")
    assert new.stop() == 0


@repeated(soon=0)
async def test_leader_that_was_stopped_tells_nobody_anything(database, new_hall, run, rounds):
    hall = new_hall(database, database)
    await play_through(hall, database, run, rounds, stopped(lambda chance: chance.choice([0, chance.uniform(0, 8)])))


@repeated(soon=0)
async def test_leader_that_was_stopped_for_20_seconds_tells_nobody_anything(database, new_hall, run, rounds):
    hall = new_hall(database, database)
    await play_through(hall, database, run, rounds, stopped(lambda _: 20.0))
