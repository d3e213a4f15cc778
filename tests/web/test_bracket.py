"""The drawing of a knockout: every encounter in a place of its own, whatever the number of players."""

from itertools import takewhile

import pytest

from gameserver.core.lobby import TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import CLOSED, Cancel, Report, Verdict, WithdrawEntrant
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import NodeView, TournamentView, tournament_view
from gameserver.web.bracket import BOX_HEIGHT, LABEL_HEIGHT, Drawing, by_round, drawing_of, place_words, reached
from gameserver.web.tournament import tournament_regions
from tests.tournaments.playing import World, entered, finished, started
from tests.web.support import check_html
from tests.web.test_tournament import NOTHING, page_of

FORMATS = ("knockout", "double-elimination")


def plan_of(kind: str, **changes: object):
    return preset("cup", "Cup", "Reversi", format=kind, **changes)


def drawn(view: TournamentView) -> Drawing:
    found = drawing_of(view.bracket, has_boards=view.phase not in CLOSED)
    assert found is not None
    return found


def areas(drawing: Drawing) -> list[tuple[int, int, int, int, str]]:
    """The boxes with their labels, and the headings, as left, top, right, bottom."""
    found = []
    for box in drawing.boxes:
        top = box.y - (LABEL_HEIGHT - 4 if box.label else 0)
        found.append((box.x, top, box.x + box.width, box.y + BOX_HEIGHT, str(box.node.number)))
    for one in drawing.headings:
        half = 17 if len(one.text) <= len("R64") else 75
        found.append((one.x - half, one.y - 16, one.x + half, one.y + 4, one.text))
    return found


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("players", [*range(2, 10), 12, 16, 17, 20, 24, 32, 33, 60, 100])
def test_nothing_lies_upon_anything_else(kind: str, players: int) -> None:
    for tournament in (started(plan_of(kind), players), finished(plan_of(kind), players)):
        drawing = drawn(tournament_view(tournament))
        found = sorted(areas(drawing))
        for number, one in enumerate(found, start=1):
            for other in takewhile(lambda other, one=one: other[0] < one[2], found[number:]):
                assert one[1] >= other[3] or other[1] >= one[3], (one, other)
        for left, top, right, bottom, what in areas(drawing):
            assert left >= 0, what
            assert top >= 0, what
            assert right <= drawing.width, what
            assert bottom <= drawing.height, what


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("players", [2, 3, 10, 24, 60])
def test_every_winner_has_a_line_to_the_next_encounter(kind: str, players: int) -> None:
    drawing = drawn(tournament_view(started(plan_of(kind), players)))
    shown = {box.node.number for box in drawing.boxes}
    ways = {
        (source.number, box.node.number)
        for box in drawing.boxes
        for source in box.node.sources
        if source.kind == "winner" and source.number in shown
    }
    assert len(drawing.lines) == len(ways)
    followed = {start for start, _ in ways}
    last = max(number for number in shown if drawing_part(drawing, number) != "third place")
    without = {number for number in shown - followed - {last} if drawing_part(drawing, number) != "third place"}
    assert without == set(), "every encounter leads on"


def drawing_part(drawing: Drawing, number: int) -> str:
    return next(box.node.part for box in drawing.boxes if box.node.number == number)


def test_a_small_bracket_is_drawn_as_a_whole() -> None:
    for kind in FORMATS:
        view = tournament_view(finished(plan_of(kind), 10))
        drawing = drawn(view)
        assert len(drawing.boxes) == sum(node.note != "empty" for node in view.bracket)
        assert not any(box.is_folded for box in drawing.boxes)
        assert "not drawn here" not in page_of(finished(plan_of(kind), 10))


def test_decided_rounds_make_room_the_farthest_from_the_final_first() -> None:
    over = finished(plan_of("double-elimination"), 60)
    drawing = drawn(tournament_view(over))
    names = {box.node.round_name for box in drawing.boxes}
    assert {"Semi-final", "Winners' final", "Grand final", "Losers' final", "Losers' round 9"} <= names
    assert not names & {"Round of 64", "Losers' round 1"}
    assert f"{drawing.left_out} encounters are decided and not drawn here" in page_of(over)
    assert drawing.left_out + len(drawing.boxes) == sum(node.note != "empty" for node in tournament_view(over).bracket)


def test_a_losers_part_begins_where_its_players_are() -> None:
    view = tournament_view(started(plan_of("double-elimination"), 60))
    drawing = drawn(view)
    losers = [box for box in drawing.boxes if box.node.part == "losers"]
    assert [box.node.round_name for box in losers] == ["Losers' final"]
    assert ">to come</span>" in page_of(started(plan_of("double-elimination"), 60))


def finals(view: TournamentView) -> dict[str, NodeView]:
    return {node.round_name: node for node in view.bracket if node.part == "final"}


def test_the_grand_final_and_its_decider_are_there_from_the_start() -> None:
    view = tournament_view(started(plan_of("double-elimination"), 5))
    assert finals(view)["Deciding final"].note == "if needed"
    assert "Decider, if needed" in page_of(started(plan_of("double-elimination"), 5))
    notes = set()
    for seed in range(12):
        over = finished(plan_of("double-elimination"), 5, seed)
        grand, decider = finals(tournament_view(over)).values()
        notes.add(decider.note)
        assert (decider.note == "not needed") == (grand.winner == grand.first)
        assert ("Decider, not needed" in page_of(over)) == (decider.note == "not needed")
    assert notes == {"", "not needed"}, "both ends were met"


def test_empty_places_are_named() -> None:
    tournament = started(plan_of("double-elimination"), 3)
    words = [
        place_words(player, source, is_closed=False)
        for node in tournament_view(tournament).bracket
        if node.note != "empty"
        for player, source in zip((node.first, node.second), node.sources, strict=True)
        if not player
    ]
    assert {"bye", "loser of 2", "winner of 2"} <= set(words)
    page = page_of(apply(tournament, Cancel("Ms Reed")))
    assert "loser of" not in page
    assert "not played" in page


def test_a_walkover_is_named_and_has_no_score() -> None:
    world = World(started(plan_of("knockout", games=1), 4), 1)
    world.do(WithdrawEntrant("p01"))
    while all(node.note != "walkover" for node in tournament_view(world.tournament).bracket):
        world.tick()
    assert '<span class="score">walkover</span>' in page_of(world.tournament)


def test_the_better_seed_goes_through_where_all_games_are_drawn() -> None:
    world = World(started(plan_of("knockout", games=1, extra_games_max=0), 2))
    assert world.pair()
    (pairing,) = world.playing
    world.do(Report(pairing.number, pairing.match, Verdict.DRAW))
    (node,) = tournament_view(world.tournament).bracket
    assert (node.winner, node.note, node.wins) == ("p01", "better seed", (0, 0))
    assert "better seed: 0" in page_of(world.tournament)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_place_in_a_knockout_has_no_points_beside_it(kind: str) -> None:
    page = page_of(finished(plan_of(kind), 10))
    assert ">Points<" not in page
    assert "Rank by strength" not in page
    assert "won it" in page


def test_how_far_each_player_came() -> None:
    view = tournament_view(finished(plan_of("knockout"), 6))
    came = reached(view.bracket)
    by_rank = [came[row.name] for row in view.standings]
    assert by_rank[:2] == ["won it", "Final"]
    assert by_rank[2:4] == ["Match for third place"] * 2
    assert set(by_rank[4:]) == {"Quarter-final"}
    late = reached(tournament_view(started(plan_of("knockout"), 6)).bracket)
    assert set(late.values()) == {"Quarter-final", "Semi-final"}, "those with a bye are further"


def test_the_list_begins_with_the_final() -> None:
    names = [name for name, _ in by_round(tournament_view(started(plan_of("knockout"), 10)).bracket)]
    assert names == ["Final", "Match for third place", "Semi-final", "Quarter-final", "Round of 16"]


def test_the_bracket_is_updated_while_somebody_looks() -> None:
    tournament = started(plan_of("knockout"), 6)
    region = tournament_regions(view_of(TournamentRow(1, tournament)), NOTHING)["table"].html
    assert region.startswith('<section id="table"')
    assert region in page_of(tournament)
    assert "<svg" in region


def test_before_the_draw_there_is_no_bracket() -> None:
    assert drawing_of(tournament_view(entered(plan_of("knockout"), 4)).bracket, has_boards=False) is None
    page = page_of(entered(plan_of("knockout"), 4))
    check_html(page)
    assert "<svg" not in page
