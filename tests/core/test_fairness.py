"""Chance in the lobby: what it follows from, what players add to it, and when its secrets are told."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from attrs import evolve

from gameserver.chance import draw_key, in_drawn_order, match_key, number_below
from gameserver.core.commands import Against, Arrive, Book, Challenge, Contribute, NewEpoch, ShowFairness
from gameserver.core.events import Accepted, Code, FairnessShown, MatchOpened, Rejected
from gameserver.policies import LatePolicy, Rules
from gameserver.records.match_record import records_of_epochs
from gameserver.records.tournament_record import record_of_tournament
from gameserver.tournaments.model import Cancel, Resume, StartTournament, VoidPairing
from gameserver.values import evolved
from tests.support.games import BestOf, Countdown, Dice, catalogue
from tests.support.lobbies import SEED, LobbyHarness
from tests.support.tournament_hall import SEED as CUP_SEED
from tests.support.tournament_hall import Hall


class Chase(Countdown):
    """A game with parts to choose from."""

    name = "Chase"
    roles = ("hare", "hound")


GAMES = catalogue(Chase(), Countdown(), Dice(), BestOf())
OTHER = "6eed" * 16


def two_players() -> LobbyHarness:
    harness = LobbyHarness(GAMES)
    harness.enter(1, "Åsa")
    harness.enter(2, "bob")
    return harness


def meet(harness: LobbyHarness, game: str = "Countdown") -> None:
    harness.seek(1, game)
    harness.seek(2, game)


def fairness(harness: LobbyHarness, session: int = 1) -> FairnessShown:
    harness.hear(session)
    harness.do(ShowFairness(session))
    (shown,) = harness.hear(session)
    return shown


def test_dice_and_seats_follow_from_the_seed_and_what_players_added() -> None:
    harness = two_players()
    for session, data in ((2, "00"), (1, "2A00FF"), (2, "01")):
        assert harness.do(Contribute(session, data)) == Accepted()
    meet(harness, "Dice")
    opened = [next(told for told in harness.hear(session) if isinstance(told, MatchOpened)) for session in (1, 2)]
    secret = match_key(SEED, 1)
    assert {told.commitment for told in opened} == {sha256(bytes.fromhex(secret)).hexdigest()}
    shown = fairness(harness)
    assert (shown.match, shown.match_commitment) == (1, opened[0].commitment)
    assert dict(shown.contributions) == {"Åsa": "2a00ff", "bob": "01"}
    while harness.lobby.matches:
        (seat,) = harness.lobby.matches[1].turn.seats
        harness.play(1 if harness.lobby.matches[1].players[seat] == "Åsa" else 2, "roll")
    (record,) = harness.records
    key = draw_key(secret, record.contributions)
    assert (record.key, record.commitment) == (secret, opened[0].commitment)
    seats, *dice = record.draws
    assert (seats.purpose, seats.sides, seats.value) == ("seats", 2, 1 + number_below(2, key, "seats", 0))
    assert tuple(seat.player for seat in record.seats) == in_drawn_order(("bob", "Åsa"), (seats.value,))
    assert [(one.purpose, one.n, one.sides, one.value) for one in dice] == [
        ("draw", n, 6, 1 + number_below(6, key, "draw", n)) for n in range(len(record.moves) // 2)
    ]
    meet(harness)
    assert harness.lobby.matches[2].chance.contributions == (), "they are for one match"


@pytest.mark.parametrize("data", ["", "a", "2x", "0x2a", "2a 00", "ab" * 33, "2a\n", "٣٣"])
def test_other_than_1_to_32_bytes_in_hex_are_refused(data: str) -> None:
    harness = two_players()
    assert harness.do(Contribute(1, "ab" * 32)) == Accepted()
    answer = harness.do(Contribute(1, data))
    assert isinstance(answer, Rejected)
    assert answer.code is Code.BAD_CONTRIBUTION
    assert harness.lobby.players["Åsa"].contribution == "ab" * 32
    assert harness.do(Contribute(9, "00")) == Rejected(Code.NOT_ENTERED)


def test_house_contributes_nothing_and_a_contribution_waits_for_its_match() -> None:
    harness = two_players()
    harness.do(Contribute(1, "2a"))
    assert "2a" not in repr(harness.lobby.players["Åsa"])
    assert fairness(harness).match is None
    harness.do(Challenge(1, "house-random", "Countdown"))
    assert harness.lobby.matches[1].chance.contributions == (("Åsa", "2a"),)
    harness.do(Contribute(1, "2b"))
    assert fairness(harness).contributions == (("Åsa", "2a"),), "the next match's is told to nobody"
    harness.check_restored()


def test_moves_for_late_players_are_counted_through_all_games() -> None:
    harness = two_players()
    meet(harness, "Best-of")
    match = harness.lobby.matches[1]
    policies = evolve(match.policies, late=LatePolicy.RANDOM_MOVE)
    harness.lobby.matches[1] = evolved(match, policies=policies)
    while (now := harness.lobby.matches.get(1)) is not None:
        assert now.late_ms is not None
        harness.now_ms = now.late_ms
        harness.time_up()
    (record,) = harness.records
    assert len(record.games) == 3
    late = [one for one in record.draws if one.purpose == "late"]
    assert len(late) == len(record.moves)
    key = draw_key(match_key(SEED, 1), ())
    assert [one.value for one in late] == [1 + number_below(one.sides, key, "late", one.n) for one in late]
    assert [one.n for one in late] == list(range(len(late)))


def in_queue(harness: LobbyHarness) -> None:
    meet(harness)


def by_challenge(harness: LobbyHarness) -> None:
    harness.do(Challenge(1, "bob", "Chase", seat=1))
    harness.accept(2)


def by_practice(harness: LobbyHarness) -> None:
    harness.practise(1, "Countdown")


def by_tickets(harness: LobbyHarness) -> None:
    for session, who in ((3, "cyd"), (4, "dan")):
        harness.do(Book(90, who, f"gx-{who}", who, "10.0.0.1", "Countdown"))
        harness.do(Arrive(session, who, who, "gammonx", "10.0.0.1"))


def by_ticket_for_the_house(harness: LobbyHarness) -> None:
    harness.do(Book(90, "cyd", "gx-cyd", "cyd", "10.0.0.1", "Countdown", against=Against.HOUSE))
    harness.do(Arrive(3, "cyd", "cyd", "gammonx", "10.0.0.1"))


def in_room(harness: LobbyHarness) -> None:
    for session, name in ((3, "cyd"), (4, "dan")):
        harness.enter_by_rooms(session, name)
        harness.sit(session)
    for session in (3, 4):
        harness.ready(session)


def in_room_again(harness: LobbyHarness) -> None:
    in_room(harness)
    harness.resign(3)
    for session in (3, 4):
        harness.ready(session)


@pytest.mark.parametrize(
    ("come_together", "reason"),
    [
        (in_queue, "drawn"),
        (by_challenge, "challenge"),
        (by_practice, "practice"),
        (by_tickets, "arrival"),
        (by_ticket_for_the_house, "practice"),
        (in_room, "room"),
        (in_room_again, "drawn"),
    ],
)
def test_reason_of_the_seats_is_told_and_recorded(come_together: Callable[[LobbyHarness], None], reason: str) -> None:
    harness = LobbyHarness(GAMES, Rules(room_game="Countdown", room_count=1))
    harness.enter(1, "Åsa")
    harness.enter(2, "bob")
    come_together(harness)
    match = list(harness.lobby.matches.values())[-1]
    sessions = [seat.session or 0 for seat in match.seats if not seat.is_house]
    told = [event.seats_by for event in harness.hear(sessions[0]) if isinstance(event, MatchOpened)]
    assert told[-1] == fairness(harness, sessions[0]).seats_by == reason
    harness.resign(sessions[0])
    assert (harness.records[-1].seats_by, bool(harness.records[-1].seat_lots)) == (reason, reason == "drawn")


def test_seed_of_an_epoch_is_told_when_no_live_match_draws_from_it() -> None:
    harness = two_players()
    first = harness.lobby.server[""].epochs
    assert fairness(harness, 3) == FairnessShown(1, sha256(bytes.fromhex(SEED)).hexdigest())
    meet(harness)
    harness.do(NewEpoch(OTHER))
    second = harness.lobby.server[""].epochs
    assert fairness(harness).told_seed == "", "match 1 still draws from it"
    assert [record.seed for record in records_of_epochs(first, second, 0)] == ["", ""]
    assert SEED not in repr(harness.lobby)
    harness.resign(1)
    meet(harness)
    assert harness.lobby.matches[2].chance.seed == OTHER
    harness.start()
    third = harness.lobby.server[""].epochs
    shown = fairness(harness)
    assert (shown.epoch, shown.told_epoch, shown.told_seed) == (3, 1, SEED)
    assert [(one.first_match, one.last_match) for one in third] == [(2, 2), (3, None)]
    told = [record for record in records_of_epochs(second, third, 7) if record.told_at is not None]
    assert [(one.number, one.seed, one.first_match, one.last_match) for one in told] == [(1, SEED, 1, 1)]
    harness.check_restored()


def pair_of_games() -> Hall:
    """A tournament in which ann and bob meet twice with the same chance; the first game is on."""
    hall = Hall(catalogue(Countdown()))
    hall.come("ann", "bob")
    hall.do(Contribute(1, "aa"))
    hall.create("league", same_chance=True)
    hall.act(StartTournament(0))
    return hall


def seed_on_record(hall: Hall) -> str:
    record = record_of_tournament(None, hall.lobby.tournaments[1])
    assert record is not None
    assert record.commitment == sha256(bytes.fromhex(CUP_SEED)).hexdigest()
    return record.seed


def test_games_of_a_pair_have_what_was_added_to_the_first() -> None:
    hall = pair_of_games()
    first = hall.lobby.matches[1].chance
    hall.do(Contribute(2, "bb"))
    hall.resign(1)
    assert hall.lobby.matches[2].chance == first
    assert first.contributions == (("ann", "aa"),)
    assert hall.lobby.players["bob"].contribution == "bb", "it is for bob's next match"
    assert hall.records[0].key == "", "the second game has the same dice"
    assert seed_on_record(hall) == ""
    hall.resign(1)
    assert hall.records[1].key == ""
    assert seed_on_record(hall) == CUP_SEED
    assert match_key(CUP_SEED, hall.records[1].chance_key) == first.secret
    hall.check_restored()


def test_match_after_the_seed_was_told_draws_from_the_epoch() -> None:
    hall = pair_of_games()
    hall.resign(1)
    hall.resign(1)
    hall.act(VoidPairing(1, "Ms Reed", "a fire drill"))
    (match,) = hall.lobby.matches.values()
    assert (match.chance.seed, match.chance.key) == (SEED, "3")
    assert hall.lobby.tournaments[1].state.pairings[-1].chance == "", "it shares its chance with none"


def test_seed_of_a_cancelled_tournament_is_told_with_its_matches_voided() -> None:
    hall = pair_of_games()
    hall.act(Cancel("Ms Reed", "a fire drill"))
    assert hall.lobby.matches == {}
    assert seed_on_record(hall) == CUP_SEED
    hall.act(Resume(by="Ms Reed", why="it was an exercise"))
    assert {match.chance.seed for match in hall.lobby.matches.values()} == {SEED}
