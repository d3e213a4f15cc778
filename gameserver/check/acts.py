"""The steps of a scenario, performed: a function for each, and a table of them at the end.

Those of matches are in `match_acts`, and what the client is expected to do in `expectations`.
"""

from collections.abc import Mapping

import trio

from gameserver.check import expectations, match_acts, room_acts, steps, wire_acts
from gameserver.check.director import QUIET_S, Act, Director, NotPlayable, NotReached, ScenarioFailed
from gameserver.check.opponent import Opponent
from gameserver.check.report import Failure
from gameserver.check.skipping_clock import real_s
from gameserver.check.steps import CLIENT

BEGIN_S = 10.0
"""The time that the check's own server may take for anything."""
COMMAND_PAUSE_S = 1.5
"""Silence before time is let pass at once: some clients, and people, pause for a second between two commands."""
RETURN_S = 10.0
"""The time in which a client comes back where it may as well stay away."""
GAMES_MAX = 1_000
"""The number of matches that a client is told it will have to play."""


async def comes_in(director: Director, step: steps.ComesIn) -> None:
    """Start the client, or let a player of the check log in."""
    stage = director.stage
    if step.who != CLIENT:
        name = director.fill(step.player_name)
        opponent = Opponent(name, stage.server, stage.chance, stage.changed)
        stage.opponents[step.who] = opponent
        await admitted(director, opponent)
        return
    stage.name = step.name or stage.name
    began_s = real_s()
    await trio.to_thread.run_sync(stage.client.start, stage.name, stage.place, GAMES_MAX)
    stage.client_name = ""
    how_long = f"within {director.login_time_s:g} s"
    await director.until(
        lambda: stage.player is not None,
        director.login_time_s,
        lambda: ScenarioFailed(
            f"It did not log in {how_long}."
            if stage.wire.lines
            else f"It did not connect to {stage.place} {how_long}. Does it use the host and port that it is given?",
            Failure.NOT_IN,
        ),
    )
    player = stage.player
    assert player is not None, "it was there a moment ago"
    stage.client_name = player.name
    director.starting_s += real_s() - began_s
    await director.settle()


async def others_come_in(director: Director, step: steps.OthersComeIn) -> None:
    """Let many players log in who do nothing more."""
    stage = director.stage
    template = step.name or "other-{n}"
    for number in range(1, step.count + 1):
        name = template.replace("{n}", str(number))
        other = Opponent(name, stage.server, stage.chance, stage.changed)
        stage.others.append(other)
        await admitted(director, other)


async def admitted(director: Director, opponent: Opponent) -> None:
    """Let a player of the check log in."""
    await opponent.connect(director.stage.nursery)
    await director.until(
        lambda: director.stage.server.player(opponent.name) is not None,
        BEGIN_S,
        lambda: NotReached(f"the check's own player {opponent.name!r} was not let in: {opponent.heard[-1:]}"),
    )


async def leaves(director: Director, step: steps.Leaves) -> None:
    """Log a player out."""
    await director.opponent(step.player).leave()


async def aims_at(director: Director, step: steps.AimsAt) -> None:
    """Give a player an aim."""
    director.opponent(step.player).aim = step.aim


async def thinks(director: Director, step: steps.Thinks) -> None:
    """Let a player take its time."""
    director.opponent(step.player).think_s = step.time_s


async def plays_as_soon_as_it_may(director: Director, step: steps.PlaysAsSoonAsItMay) -> None:
    """Have a player wait for the moment of a move."""
    director.opponent(step.player).wish = step.move


async def challenges(director: Director, step: steps.Challenges) -> None:
    """Challenge the client."""
    line = f'challenge "{director.stage.client_name}" "{director.game}"'
    await _answered(director, director.opponent(step.player), line)


async def cancels(director: Director, step: steps.CancelsChallenge) -> None:
    """Take a challenge back. The protocol's only way is to challenge somebody else, or to look for an opponent."""
    opponent = director.opponent(step.player)
    await opponent.leave()
    await admitted(director, opponent)


async def says(director: Director, step: steps.Says) -> None:
    """Send the client a chat message."""
    await _answered(
        director, director.opponent(step.player), f'message "{director.stage.client_name}" {director.fill(step.text)}'
    )


async def sends_raw(director: Director, step: steps.SendsRaw) -> None:
    """Send a line as it is."""
    await _answered(director, director.opponent(step.player), director.fill(step.line))


async def _answered(director: Director, opponent: Opponent, line: str) -> None:
    """Send a line, and wait for the answer."""
    before = len(opponent.heard)
    await opponent.send(line)
    await director.until(
        lambda: any(heard == "OK" or heard.startswith("ERR") for heard in opponent.heard[before:]),
        BEGIN_S,
        lambda: NotReached(f"the check's own server did not answer {line!r}"),
    )
    answer = next(heard for heard in opponent.heard[before:] if heard == "OK" or heard.startswith("ERR"))
    if answer != "OK":
        raise NotReached(f"the server refused {line!r} of the check's own player: {answer}")


async def drops(director: Director, step: steps.Drops) -> None:
    """Reset the connection of a player."""
    stage, opponent = director.stage, director.opponent(step.player)
    session = getattr(stage.server.player(opponent.name), "session", None)
    await opponent.reset()
    await director.until(
        lambda: getattr(stage.server.player(opponent.name), "session", None) != session,
        BEGIN_S,
        lambda: NotReached("the server did not notice that the check's own player was gone"),
    )


async def comes_back(director: Director, step: steps.ComesBack) -> None:
    """Let a player log in again; or see that the client does."""
    if step.who == CLIENT:
        await expectations.client_comes_back(director)
    else:
        await admitted(director, director.opponent(step.who))


async def server_restarts(director: Director, step: steps.ServerRestarts) -> None:
    """Stop the server, and start it again on its journal. The players of the check come back at once."""
    stage = director.stage
    director.note_cut()
    await stage.server.stop()
    await director.wait(step.time_s)
    await stage.server.start()
    director.cut_session = 0
    for opponent in (*stage.opponents.values(), *stage.others):
        await admitted(director, opponent)


async def client_goes_through_restart(director: Director, _: steps.ClientGoesThroughRestart) -> None:
    """Restart the server, and see that the client comes back. What it does then is judged only if it does."""
    try:
        await server_restarts(director, steps.ServerRestarts())
        await expectations.client_comes_back(director, RETURN_S)
    except ScenarioFailed as failed:
        if failed.kind is not Failure.NOT_BACK:
            raise
        why = "the client did not come back after a restart of the server, so what it would have moved is not known"
        raise NotPlayable(why) from failed


async def time_passes(director: Director, step: steps.TimePasses) -> None:
    """Let time pass at once. A client that has to move would lose by that, and could not help it."""
    if director.stage.is_clients_turn:
        raise NotReached("it is the client's turn, so that time cannot be let pass")
    if step.time_s < QUIET_S:  # the silence that is waited for otherwise would be longer than that
        await trio.sleep(step.time_s)
        director.look()
        return
    await director.settle(COMMAND_PAUSE_S)
    end_s = director.stage.clock.skipped_s + step.time_s
    while director.stage.clock.skipped_s < end_s:
        await director.stage.clock.skip(min(1.0, end_s - director.stage.clock.skipped_s))
        director.look()
    await director.settle()


ACTS: Mapping[str, Act] = {
    "ComesIn": comes_in,
    "OthersComeIn": others_come_in,
    "Leaves": leaves,
    "Meets": match_acts.meets,
    "MatchIsCalled": match_acts.match_is_called,
    "SitsDown": room_acts.sits_down,
    "Starts": room_acts.starts,
    "GoesToLobby": room_acts.goes_to_lobby,
    "AsksForAnotherGame": room_acts.asks_for_another_game,
    "Challenges": challenges,
    "CancelsChallenge": cancels,
    "Says": says,
    "SendsRaw": sends_raw,
    "MovesArePlayed": match_acts.moves_are_played,
    "Moves": match_acts.moves,
    "MatchPlayedToEnd": match_acts.match_played_to_end,
    "AimsAt": aims_at,
    "Thinks": thinks,
    "PlaysAsSoonAsItMay": plays_as_soon_as_it_may,
    "Resigns": match_acts.resigns,
    "Drops": drops,
    "ComesBack": comes_back,
    "IsLate": match_acts.is_late,
    "ClientHears": wire_acts.client_hears,
    "LineIsLate": wire_acts.line_is_late,
    "ClientsMoveBecomes": wire_acts.clients_move_becomes,
    "ClientIsLate": wire_acts.client_is_late,
    "ClientIsHeardTwice": wire_acts.client_is_heard_twice,
    "ClientIsCutOff": wire_acts.client_is_cut_off,
    "ServerRestarts": server_restarts,
    "ClientGoesThroughRestart": client_goes_through_restart,
    "TimePasses": time_passes,
    "WireIs": wire_acts.wire_is,
    "MatchesUntil": match_acts.matches_until,
    "ClientSends": expectations.client_sends,
    "ClientSendsNothing": expectations.client_sends_nothing,
    "ClientAccepts": expectations.client_accepts,
    "ClientDoesNotMove": expectations.client_does_not_move,
}
"""The function that performs each step, by the name of its class."""
