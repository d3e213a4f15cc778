"""The views of the live lobby: pure functions from its rows.

Those with `Admin` in their names are for the teacher alone: no public page shows them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gameserver.chance import commitment
from gameserver.core.commands import Capability, EntryMode, HousePlayer
from gameserver.core.lobby import OpenChallenge, Player, Room, Ticket, TournamentRow
from gameserver.core.match import GameSeries, Match, SeatHolder
from gameserver.game import Game
from gameserver.policies import Rules
from gameserver.read_model.replay import (
    CANNOT_BE_SHOWN,
    GameReplay,
    MatchReplay,
    game_replay_of,
    restart_views,
    sides_of,
    steps_of,
)
from gameserver.read_model.views import (
    AdminMatchView,
    AdminPlayerView,
    AdminQueueView,
    AdminRoomView,
    AdminTicketView,
    AdminTournamentView,
    BankView,
    BoardView,
    ChanceView,
    ClockView,
    GameCard,
    HousePlayerSummary,
    MatchSummary,
    MatchView,
    OfferSummary,
    PlayerSummary,
    SeatView,
)
from gameserver.records.match_record import RestartRecord, time_of_day
from gameserver.time_control import TimeControl
from gameserver.tournaments.model import Pairing, PairingStatus, Timing, Tournament, TournamentPhase, Verdict
from gameserver.tournaments.view import as_json, tournament_summary, warnings
from gameserver.values import evolved

_NAMED_MAX = 5
_UPSET_RATING = 400


def match_replay_of(
    match: Match, known: MatchReplay | None = None, restarts: Iterable[RestartRecord] = ()
) -> MatchReplay:
    """Converts a live match's row of the lobby into its replay so far.

    `known` is its previous replay; continuing it saves playing the match again.

    `restarts` are those of the server, as far back as any live match was opened.
    """
    games = [(game.game, game.options, game.moves) for game in match.games]
    before = () if known is None else known.game_replays
    game_replays: list[GameReplay] = []
    for number, (game, options, moves) in enumerate(games, start=1):
        game_replay = before[number - 1] if number <= len(before) else game_replay_of(game, options, number)
        # The same tuple: nothing was played in this game since.
        game_replays.append(game_replay if game_replay.moves is moves else game_replay.continued(moves))
    return MatchReplay(_view_of(match, tuple(game_replays), restarts), tuple(game_replays))


def _view_of(match: Match, game_replays: tuple[GameReplay, ...], restarts: Iterable[RestartRecord]) -> MatchView:
    steps = steps_of(game_replays, opened_ms=match.opened_ms, is_over=match.result is not None)
    return MatchView(
        id=match.id,
        game=match.whole.game.name,
        current=match.game.name,
        game_number=match.game_number,
        seats=tuple(map(_seat_view, match.seats)),
        acting=match.awaited_seats,
        clock=_clock_of(match),
        phase=match.phase.value,
        steps=steps,
        score=_score_of(match.contest),
        result=None if match.result is None else evolved(match.result, lapse=None, rule=""),
        opened_at=time_of_day(match.opened_wall_ms),
        room=match.room,
        public_id=_shared_id_of(match),
        restarts=restart_views(restarts, match.opened_ms, steps),
        tournament=None if match.scheduled is None else match.scheduled.tournament,
        round=0 if match.scheduled is None else match.scheduled.round,
        is_ladder=match.is_ladder,
        chance=ChanceView(
            commitment(match.chance.seed), match.chance.commitment, match.chance.contributions, match.seats_by
        ),
    )


def _clock_of(match: Match) -> ClockView:
    turn, terms = match.clock, match.policies.clock
    banks = (None if one is None else BankView(one.left_ms - one.used_ms, one.since_ms) for one in match.banks)
    return ClockView(turn.deadline_ms, turn.left_ms, terms.turn_time_ms, str(terms), tuple(banks))


def _shared_id_of(match: Match) -> str:
    """The public id, if both players came by tickets. A player's own id is secret: it gives access to the seat."""
    return match.public_id if all(holder.ticket for holder in match.seats) else ""


def _score_of(contest: GameSeries | None) -> tuple[int, ...] | None:
    """The points of all games so far."""
    try:
        return None if contest is None else tuple(contest.series.outcome.points)
    except Exception:  # noqa: BLE001 - a game's own code: nothing is shown in its place
        return None


def _seat_view(holder: SeatHolder) -> SeatView:
    return SeatView(
        player=holder.player,
        protocol=holder.protocol,
        is_house=holder.is_house,
        is_present=holder.is_present,
        away_until_ms=None if holder.absence is None else holder.absence.return_by_ms,
    )


def match_summary(match: Match) -> MatchSummary:
    """Converts a live match's row of the lobby into an entry of a list."""
    return MatchSummary(
        id=match.id,
        game=match.whole.game.name,
        seats=tuple(map(_seat_view, match.seats)),
        acting=match.awaited_seats,
        moves=match.moves_made,
        opened_wall_ms=match.opened_wall_ms,
        clock=_clock_of(match),
        score=_score_of(match.contest),
    )


def present_board(match: Match) -> BoardView:
    """Makes the view of a live match's present board from the live lobby's row, for a page of many boards."""
    state = match.state
    try:
        return BoardView(state.board(None), state.small_picture(None), sides=sides_of(state, len(match.seats)))
    except Exception:  # noqa: BLE001 - a game's own code: the page says that the board cannot be shown
        return BoardView(CANNOT_BE_SHOWN)


def player_summary(player: Player) -> PlayerSummary:
    """Converts a player's live row of the lobby into an entry of a list, without what is the teacher's."""
    return PlayerSummary(player.name, player.protocol, player.match, player.seek, player.room)


def house_player_summary(player: HousePlayer) -> HousePlayerSummary:
    """Converts a house player's live row of the lobby into an entry of a list."""
    return HousePlayerSummary(player.name, player.games)


def offers(
    queues: Mapping[str, tuple[str, ...]],
    challenges: Iterable[OpenChallenge],
    rooms: Iterable[Room],
    tickets: Iterable[Ticket],
    room_game: str,
) -> tuple[OfferSummary, ...]:
    """Makes the view of the live lobby's open offers from its rows: searches, challenges, rooms and tickets.

    A ticket shows its game alone: its id is its owner's way back.
    """
    found = [OfferSummary("search", game, names) for game, names in queues.items() if names]
    found += [OfferSummary("challenge", one.game, (one.challenger,), to=one.to) for one in challenges]
    for room in rooms:
        if room.match is None and room.places:
            players = tuple(place.player for place in room.places)
            found.append(OfferSummary("room", room_game, players, room=room.number))
    found += [OfferSummary("ticket", one.booked.game, ()) for one in tickets if one.partner is None]
    return tuple(found)


@lru_cache(maxsize=1_000)
def game_card(game: Game[Any]) -> GameCard:
    """A game of the live lobby as people choose it. Kept, as its picture is always that of the start."""
    board = game_replay_of(game, game.options_type(), 1).board(0, is_small=True)
    return GameCard(game.name, game.family, game.roles, tuple(filter(None, game.how_to_play.split("\n"))), board)


def player_view(player: Player) -> AdminPlayerView:
    """Converts a player's live row into the teacher's view, with the address and if a secret was shown."""
    return AdminPlayerView(
        player.name,
        player.protocol,
        player.address,
        player.match,
        player.seek,
        player.room,
        player.is_proven,
        is_callable=Capability.CHALLENGE in player.capabilities or Capability.ROOMS in player.capabilities,
    )


def match_view(match: Match) -> AdminMatchView:
    """Makes the teacher's view of a live match from the live lobby's row, with the players that it waits for."""
    return AdminMatchView(
        match=match.id,
        game=match.whole.game.name,
        players=match.players,
        phase=match.phase.value,
        moves=match.moves_made,
        awaited=tuple(match.seats[seat].player for seat in match.awaited_seats),
        away=tuple(holder.player for holder in match.seats if not holder.is_present),
        room=match.room,
        opened_wall_ms=match.opened_wall_ms,
    )


def room_view(room: Room) -> AdminRoomView:
    """The teacher's view of a live room, from the lobby's row, with the players in it."""
    return AdminRoomView(room.number, room.phase.value, tuple(place.player for place in room.places), room.match)


def queue_views(games: Iterable[str], queues: Mapping[str, tuple[str, ...]]) -> tuple[AdminQueueView, ...]:
    """Converts the live queues that are not empty into views for the teacher, in the order of the games."""
    return tuple(AdminQueueView(game, names) for game in games if (names := queues.get(game)))


def ticket_views(tickets: Iterable[Ticket]) -> tuple[AdminTicketView, ...]:
    """Converts the live rows of tickets in the lobby into views for the teacher.

    Their ids are not shown: a ticket is its owner's way back.
    """
    by_id = {ticket.id: ticket for ticket in tickets}
    found = []
    for ticket in by_id.values():
        partner = None if ticket.partner is None else by_id.get(ticket.partner)
        opponent = None if partner is None else partner.player
        found.append(AdminTicketView(ticket.player, ticket.booked.game, ticket.session is not None, opponent))
    return tuple(found)


def rest_max_ms(match: Match, now_ms: int) -> int | None:
    """The time that is left in all banks of a live match; None if a seat has none.

    Increments and periods are counted for half as many turns as were taken: an estimate, as no game tells its length.
    """
    left_ms, clock = match.banks_ms(now_ms), match.policies.clock
    if not left_ms or None in left_ms:
        return None
    return sum(filter(None, left_ms)) + match.moves_made // 2 * (clock.increment_ms + clock.period_ms)


def bank_warnings(row: TournamentRow, players: Iterable[Player], rules: Rules) -> tuple[str, ...]:
    """Warns of a tournament's live row that some entrants' clients cannot see the bank of a clock of its matches.

    It tells of the players who are here, and before the start of those who would enter.
    """
    if row.is_over:
        return ()

    def takes_part(player: Player) -> bool:
        has_entered = row.state.entrant(player.name) is not None
        if has_entered or row.state.phase is not TournamentPhase.GATHERING:
            return has_entered
        is_callable = not {Capability.CHALLENGE, Capability.ROOMS}.isdisjoint(player.capabilities)
        return player.seek == row.state.plan.game or (is_callable and row.entry is EntryMode.LOGGED_IN)

    # As `organizer` has it: a match is on the clock of its player by a ticket, else of the one in a room.
    clocks = (("", rules.clock), (" of rooms.clock", rules.room_clock), (" of tickets.clock", rules.ticket_clock))
    own = row.state.plan.clock
    here = [(2 if one.identity else int(one.sits), one) for one in players if takes_part(one)]
    found: dict[tuple[str, TimeControl], list[str]] = {}
    for way in sorted({way for way, _ in here}):
        setting, clock = clocks[way] if own is None else ("", own)
        if clock.has_bank and clock.turn_time_ms is None:
            # The last way takes in all others.
            found[setting, clock] = [one.name for own_way, one in here if own_way <= way and not one.sees_bank]
    return tuple(_bank_warning(setting, clock, unseeing) for (setting, clock), unseeing in found.items() if unseeing)


def _bank_warning(setting: str, clock: TimeControl, unseeing: Sequence[str]) -> str:
    more = f" and {len(unseeing) - _NAMED_MAX} more" if len(unseeing) > _NAMED_MAX else ""
    names = f"{', '.join(unseeing[:_NAMED_MAX])}{more}"
    whose = f"{names}'s client cannot" if len(unseeing) == 1 else f"the clients of {names} cannot"
    told = f"in their matches the whole of it is each turn's limit ({clock.without_bank()}), all they are told"
    return f"{whose} see the bank{setting}: {told}; give the turn a limit of its own, such as {clock}, turn 60s"


def featured_match(state: Tournament, matches: Mapping[int, Match], before: int | None) -> int | None:
    """The live match of a tournament whose board is shown large; None while nothing is played.

    It is the teacher's choice as long as that is played, then `before`, the one shown so far: a board that came and
    went with every move would be followed by nobody. Only a new choice compares the matches by `interest`.
    """
    live = {one.number: one.match for one in state.open if one.status is PairingStatus.PLAYING and one.match in matches}
    if state.featured in live:
        return live[state.featured]
    if before in live.values() or not live:
        return before if live else None
    records = _records_of(state)
    ratings = {entrant.name: entrant.rating for entrant in state.entrants}
    best = max(live, key=lambda number: (_interest_of(state.pairings[number - 1], matches, records, ratings), -number))
    return live[best]


def _records_of(state: Tournament) -> Mapping[str, int]:
    """The games won less those lost of each entrant, from the worst at 0."""
    found = dict.fromkeys((entrant.name for entrant in state.entrants), 0)
    for one in state.pairings:
        if one.verdict in (Verdict.FIRST, Verdict.SECOND):
            winner, loser = one.seats if one.verdict is Verdict.FIRST else one.seats[::-1]
            found[winner], found[loser] = found.get(winner, 0) + 1, found.get(loser, 0) - 1
    return {name: record - min(found.values()) for name, record in found.items()}


def _interest_of(
    pairing: Pairing, matches: Mapping[int, Match], records: Mapping[str, int], ratings: Mapping[str, int]
) -> float:
    match = matches[pairing.match or 0]
    first, second = (ratings.get(name, 0) for name in match.players)
    scores = _score_of(match.contest)
    if scores is None or not any(scores):
        scores = tuple(side.score or 0 for side in sides_of(match.state, len(match.seats)))
    leaders = sum(records.get(name, 0) for name in match.players) / (2 * max(1, *records.values()))
    return interest(leaders, scores, (first - second) if first and second else 0)


def interest(leaders: float, scores: Sequence[int], rating_lead: int) -> float:
    """The interest of a live match to spectators, from 0 up to 4.

    A match of the leaders counts twice: they meet in the last rounds. `leaders` is 1 for two who won the most. A close
    score counts once; without any a match is half as close as can be. A lead over a player who is rated higher counts
    once; `rating_lead` is the first seat's, and 400 points, odds of 10 to 1, are an upset as good as any.
    """
    first, second = scores if len(scores) == 2 else (0, 0)
    lead, total = first - second, abs(first) + abs(second)
    closeness = 1 - abs(lead) / total if total else 0.5
    is_upset = lead * rating_lead < 0
    return 2 * leaders + closeness + is_upset * min(1.0, abs(rating_lead) / _UPSET_RATING)


def tournament_view(row: TournamentRow, timing: Timing, more_warnings: tuple[str, ...] = ()) -> AdminTournamentView:
    """Converts a tournament's live row into the teacher's view in one line, with entry mode and warnings."""
    summary = tournament_summary(row.state, number=row.number, timing=timing)
    return AdminTournamentView(
        **as_json(summary),
        entry=row.entry.value,
        warnings=warnings(row.state) + more_warnings,
        clock=row.state.plan.clock_text,
    )
