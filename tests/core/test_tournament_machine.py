"""Tournaments under anything at all: players come and go, teachers meddle, servers die at any row.

Whatever happens, the lobby holds together, the journal tells the same lobby again from any row on, and
once nothing happens any more the tournament comes to its end.
"""

from attrs import evolve
from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gameserver.core.commands import (
    Accept,
    Arrive,
    Book,
    Capability,
    Challenge,
    CreateTournament,
    Enter,
    EntryMode,
    Leave,
    RoomTimeUp,
    TicketTimeUp,
    TimeUp,
    TournamentTimeUp,
)
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import Rules
from gameserver.tournaments import model
from gameserver.tournaments.files import standings_csv
from gameserver.tournaments.model import TournamentPhase, Verdict
from gameserver.tournaments.presets import PRESETS, preset
from tests.support.examples import examples
from tests.support.games import Countdown, Dice, catalogue
from tests.support.journals import RowsOnly
from tests.support.tournament_hall import SEED, Hall
from tests.tournaments.playing import check as check_pure

GAMES = catalogue(Countdown(), Dice())
NAMES = ("ann", "bob", "cyd", "gx-dan", "tim")
SESSIONS = st.integers(1, 6)
PAIRINGS = st.integers(1, 8)
PLAYERS = st.sampled_from([*NAMES, "house-random", "nobody"])
ACTS = st.one_of(
    st.just(model.Pause(0, "teacher")),
    st.just(model.Resume(0, "teacher")),
    st.just(model.Finish(0, "teacher")),
    st.builds(model.RegisterEntrant, PLAYERS),
    st.builds(model.WithdrawEntrant, PLAYERS, st.just("teacher"), st.just("ill")),
    st.builds(model.Disqualify, PLAYERS, st.just("teacher"), st.just("cheats")),
    st.builds(model.VoidPairing, PAIRINGS, st.just("teacher"), st.just("a cable")),
    st.builds(model.Correct, PAIRINGS, st.sampled_from(Verdict), st.just("teacher"), st.just("both saw it")),
)


class TournamentMachine(RuleBasedStateMachine):
    """Five players by three protocols, a tournament of any preset, and a director who may be slow."""

    @initialize(
        which=st.sampled_from(list(PRESETS)),
        grace_ms=st.sampled_from([0, 5_000]),
        at_once=st.sampled_from([0, 1]),
        pause_ms=st.sampled_from([0, 2_000]),
        challenges=st.booleans(),
        house=st.booleans(),
    )
    def set_up(self, which: str, grace_ms: int, at_once: int, pause_ms: int, challenges: bool, house: bool) -> None:
        rules = Rules(drop_grace_ms=grace_ms, first_move_pause_ms=0, room_game="Countdown", room_count=2)
        self.hall = Hall(GAMES, rules)
        self.hall.pairs = False
        self.tickets = 0
        changes = {"duration_ms": 60_000} if which == "arena" else {}
        plan = preset(which, "Cup", "Countdown", matches_at_once_max=at_once, pause_ms=pause_ms, no_show_ms=5_000)
        plan = evolve(plan, challenges=challenges, **changes)
        roster = tuple(map(model.RegisterEntrant, (*NAMES, *(("house-random",) if house else ()))))
        self.hall.do(CreateTournament(plan, SEED, EntryMode.ROSTER, roster))
        self.hall.act(model.StartTournament(0))

    @rule(session=SESSIONS, name=st.sampled_from(["ann", "bob", "cyd", "zoe"]))
    def enter(self, session: int, name: str) -> None:
        self.hall.do(Enter(session, name, "strategic", "10.0.0.1", (Capability.CHAT, Capability.CHALLENGE)))

    @rule(session=SESSIONS, room=st.integers(0, 1))
    def start_in_a_room(self, session: int, room: int) -> None:
        self.hall.enter_by_rooms(session, "tim")
        self.hall.sit(session, room)
        self.hall.ready(session)

    @rule(session=SESSIONS)
    def come_with_a_ticket(self, session: int) -> None:
        self.tickets += 1
        ticket = f"t{self.tickets}"
        self.hall.do(Book(90, ticket, "gx-dan", "dan", "10.0.0.1", "Countdown", open_to_queue=True))
        self.hall.do(Arrive(session, ticket, "dan", "gammonx", "10.0.0.1", (Capability.READY,)))

    @rule(session=SESSIONS, fault=st.sampled_from(["", "", "bots.chat"]))
    def leave(self, session: int, fault: str) -> None:
        self.hall.do(Leave(session, fault=fault))

    @rule(again=st.booleans())
    def decide_what_is_held(self, *, again: bool) -> None:
        self.decide_held(again=again)

    def decide_held(self, *, again: bool) -> None:
        for row in list(self.hall.lobby.tournaments.values()):
            for pairing in row.state.held:
                act = model.VoidPairing(pairing.number, "teacher", "our bug")
                correct = model.Correct(pairing.number, Verdict.FIRST, "teacher", "provoked")
                self.hall.act(act if again else correct, row.number)

    @rule(session=SESSIONS)
    def ready(self, session: int) -> None:
        self.hall.ready(session)

    @rule(session=SESSIONS, game=st.sampled_from(["Countdown", "Dice"]))
    def seek(self, session: int, game: str) -> None:
        self.hall.seek(session, game)

    @rule(session=SESSIONS, to=st.sampled_from(NAMES))
    def challenge(self, session: int, to: str) -> None:
        self.hall.do(Challenge(session, to, "Dice"))
        for other in range(1, 7):
            self.hall.do(Accept(other))

    @rule(act=ACTS)
    def meddle(self, act: model.Act) -> None:
        self.hall.act(act)

    @rule()
    def pair(self) -> None:
        self.hall.pair()

    @rule(data=st.data())
    def finish_a_match(self, data: st.DataObject) -> None:
        assume(self.hall.matches)
        match = data.draw(st.sampled_from(self.hall.matches))
        seat = data.draw(st.integers(0, 1))
        if match.seats[seat].session:
            self.hall.resign(match.seats[seat].session)

    @rule(passed_ms=st.sampled_from([1_000, 6_000, 61_000]))
    def wait(self, passed_ms: int) -> None:
        self.hall.now_ms += passed_ms
        self.alarm()

    @rule()
    def restart(self) -> None:
        self.hall.start()

    @invariant()
    def the_tournament_holds_together(self) -> None:
        check_pure(self.hall.row.state)
        lobby = self.hall.lobby
        assert digest(read_snapshot(write_snapshot(lobby, 1, 2), GAMES)) == digest(lobby)

    def alarm(self) -> None:
        hall = self.hall
        for number in list(hall.lobby.matches):
            hall.do(TimeUp(number))
        for number in list(hall.lobby.rooms):
            hall.do(RoomTimeUp(number))
        for ticket in list(hall.lobby.tickets):
            hall.do(TicketTimeUp(ticket))
        hall.do(TournamentTimeUp(1))

    def teardown(self) -> None:
        if not hasattr(self, "hall"):
            return
        self.comes_to_its_end()
        self.can_be_told_again_from_any_row()

    def comes_to_its_end(self) -> None:
        """Nobody meddles any more, and nobody comes: those who are here play, the others lose by not being there."""
        hall = self.hall
        hall.act(model.Resume(0))
        for _ in range(400):
            if hall.row.state.phase is not TournamentPhase.RUNNING:
                break
            self.decide_held(again=False)
            hall.pair()
            hall.now_ms += 61_000
            self.alarm()
            for match in hall.matches:
                here = [seat for seat in match.seats if seat.session]
                if here:
                    hall.resign(here[0].session)
                elif all(seat.is_house for seat in match.seats):
                    hall.play_house(match)
        assert hall.row.state.phase is TournamentPhase.OVER, hall.row

    def can_be_told_again_from_any_row(self) -> None:
        rows, final = self.hall.rows, digest(self.hall.lobby)
        for cut in {0, len(rows) // 3, len(rows) // 2, len(rows) - 1}:
            before = RowsOnly()
            before.append(rows[:cut])
            killed = replay(before, GAMES)
            journal = RowsOnly()
            journal.append(rows)
            journal.save_snapshot(write_snapshot(killed.lobby, cut, killed.now_ms))
            again = replay(journal, GAMES)
            assert again.skipped == ()
            assert digest(again.lobby) == final
            assert standings_csv(again.lobby.tournaments[1].state) == standings_csv(self.hall.row.state)


TournamentMachine.TestCase.settings = settings(max_examples=examples(24), stateful_step_count=30, deadline=None)
TestTournamentMachine = TournamentMachine.TestCase
