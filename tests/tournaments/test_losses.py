"""The losses by a destructive act, in words."""

import pytest

from gameserver.tournaments.act_table import apply, teacher_acts
from gameserver.tournaments.losses import NothingToLose, losses
from gameserver.tournaments.model import Report, TournamentPhase, Verdict, WithdrawEntrant
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import as_json, tournament_view
from tests.support.tables import table
from tests.tournaments.playing import World, started
from tests.tournaments.test_act_table import in_phase

ASKED = {"player": "p01", "pairing": 1, "verdict": "draw"}


def view_of(tournament):
    return as_json(tournament_view(tournament))


@pytest.mark.parametrize("name", [name for name, spec in teacher_acts().items() if spec.is_destructive])
@pytest.mark.parametrize("phase", TournamentPhase)
def test_every_destructive_act_says_what_is_lost(name, phase):
    view = view_of(in_phase(phase))
    if phase in teacher_acts()[name].phases and (view["pairings"] or name in {"cancel", "drop"}):
        assert losses(name, view, ASKED)


def test_a_cancellation_counts_games():
    tournament = apply(in_phase(TournamentPhase.RUNNING), Report(1, 1, Verdict.FIRST))
    lines = losses("cancel", view_of(tournament), {})
    assert "5 games still to come: not played." in lines
    assert "1 game played: the results stay on record." in lines
    playing = losses("cancel", view_of(in_phase(TournamentPhase.RUNNING)), {})
    assert playing[0] == "1 game being played or awaiting your decision: ended without a result."


def test_a_correction_names_both_results():
    tournament = apply(in_phase(TournamentPhase.RUNNING), Report(1, 1, Verdict.FIRST))
    first, second = tournament.pairings[0].seats
    title, changed, _ = losses("correct", view_of(tournament), ASKED)
    assert title == f"Game 1: {first} against {second}."
    assert changed == "The result 1-0 is replaced by ½-½."


@pytest.mark.parametrize(
    ("effect", "ticks", "words"),
    [
        (effect, int(ticks), words)
        for effect, ticks, words in table(
            __file__, "what becomes of the results of a player who leaves after so many ticks"
        )
    ],
)
def test_a_drop_says_in_words_what_becomes_of_the_results(effect, ticks, words):
    world = World(started(preset("hanze", "Cup", "Reversi", withdrawal=effect), 10), 1, all_at_once=True)
    for _ in range(ticks):
        world.tick()
    line = {row["name"]: row for row in view_of(world.tournament)["standings"]}["p01"]
    said = losses("drop", view_of(world.tournament), ASKED)
    assert said[0] == words.format(name="p01", open=line["to_play"], played=line["played"])
    after = {row["name"]: row for row in view_of(apply(world.tournament, WithdrawEntrant("p01")))["standings"]}["p01"]
    if said[0].endswith("open matches count as lost."):
        assert after["played"] + after["unplayed"] == 9, "and so they do"


def test_an_arena_does_not_play_a_game_again():
    arena = started(Plan("arena", "Reversi", Format.ARENA, duration_ms=60_000), 4)
    view = view_of(arena) | {"pairings": view_of(in_phase(TournamentPhase.RUNNING))["pairings"]}
    assert losses("void", view, ASKED)[-1] == "It is not played again, because this is an arena."
    assert losses("void", view | {"format": "swiss"}, ASKED)[-1] == "It is played again from the start."


@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [("void", {"pairing": 99}, "no pairing 99"), ("drop", {"player": "zed"}, "zed is not in this tournament")],
)
def test_what_is_not_there_is_said(name, asked, says):
    with pytest.raises(NothingToLose, match=says):
        losses(name, view_of(in_phase(TournamentPhase.RUNNING)), asked)
