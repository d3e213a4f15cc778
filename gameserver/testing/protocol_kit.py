"""The contract kit for protocols: says to an adapter what clients, the network and the lobby may say to it.

In one line, in a test of your own:

    def test_contract() -> None:
        check_protocol(PROTOCOL, SPEAKER)

`SPEAKER` tells the kit how a player of the protocol speaks. Other tests have to compare the words with the
protocol's document. This kit finds faults that break the server, lose a message or leave a client unanswered.
"""

import random
import re
from collections.abc import Sequence
from typing import Any

from gameserver.game import Game
from gameserver.protocol import Event, WireProtocol
from gameserver.testing.contract import Trail
from gameserver.testing.conversations import ByteStreams, Conversations, of_a_match
from gameserver.testing.kit_connection import Connect, KitConnection
from gameserver.testing.kit_lobby import SECRET_GAME, KitLobby
from gameserver.testing.kit_matches import Matches
from gameserver.testing.speaker import Speaker


def check_protocol(protocol: WireProtocol, speaker: Speaker, *, games: Sequence[Game[Any]] = (), seed: int = 0) -> None:
    """Checks the contract of a protocol in every profile.

    Raises `ContractError` where it breaks a promise of `gameserver.protocol`.

    `games` are played beside the kit's own; games that the speaker does not play are left out. The same seed sends
    the same messages. Every error names the messages that led there, what is wrong and how to mend it.
    """
    _check_definition(protocol)
    lobby_games = (SECRET_GAME, *games)
    for profile in protocol.profiles:

        def connect(hall: KitLobby, profile: str = profile) -> KitConnection:
            return KitConnection(hall, protocol, speaker, profile)

        chance = random.Random(seed)  # noqa: S311 - the same things have to be said each time
        played = [game for game in lobby_games if speaker.plays(game)]
        _check_alone(lambda: connect(KitLobby(lobby_games)), _match_events(played or [SECRET_GAME], chance), chance)
        if not speaker.has_matches:
            continue
        matches = Matches(connect, lobby_games, chance)
        if SECRET_GAME in played:
            matches.check_secrets()
        for game in played:
            matches.check_matches(game)
            matches.check_return(game)


def _check_definition(protocol: WireProtocol) -> None:
    name: Any = getattr(protocol, "name", None)
    trail = Trail(str(name))
    trail.require(isinstance(protocol, WireProtocol), "it is no gameserver.protocol.WireProtocol; export an instance")
    is_name = isinstance(name, str) and re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name)
    trail.require(is_name, f"the name {name!r} must be lower case, with hyphens between words")
    profiles: Any = protocol.profiles
    trail.require(
        isinstance(profiles, tuple) and profiles and all(isinstance(profile, str) and profile for profile in profiles),
        f"the profiles {profiles!r} must be a tuple of names",
    )
    port: Any = protocol.default_port
    is_port = type(port) is int and 0 < port < 65_536
    endpoints = trail.ask("endpoints()", protocol.endpoints)
    trail.require(
        is_port or (port is None and endpoints),
        f"default_port is {port!r}; give a port, or None and endpoints() for a protocol that has HTTP alone",
    )


def _check_alone(connect: Connect, match_events: Sequence[Event], chance: random.Random) -> None:
    conversations, streams = Conversations(connect, match_events), ByteStreams(connect, chance)
    conversations.check_greeting()
    conversations.check_login()
    conversations.check_messages()
    conversations.check_answers()
    conversations.check_events()
    conversations.check_farewell()
    streams.check_backpressure()
    streams.check_chunking()
    streams.check_limit()
    streams.check_junk()


def _match_events(games: Sequence[Game[Any]], chance: random.Random) -> Sequence[Event]:
    """Events of a match at the last game, which is the author's own where there is one."""
    game = games[-1]
    options = game.options_type()
    state = game.start(options)
    seats = state.turn.seats
    moves = tuple(chance.choice(state.legal_moves(seats[0])) for _ in range(2)) if seats else ()
    texts = tuple(game.write_move(move) for move in moves) or ("1", "2")
    return of_a_match(game.name, options, (texts[0], texts[1]), game.move_number(moves[0]) if moves else None)
