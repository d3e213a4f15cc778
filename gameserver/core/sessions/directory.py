"""The lists that anybody may ask for: players and games."""

from gameserver.core.messages.commands import ListGames, ListPlayers
from gameserver.core.messages.events import Accepted, Answer, GamesListed
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Player


def _is_shown(draft: Draft, player: Player) -> bool:
    """True if the list of players has this one: they can be played, or play against a listed player at the moment."""
    if player.is_listed or player.match is None:
        return player.is_listed
    others = (draft.players.get(name) for name in draft.matches[player.match].players)
    return any(other is not None and other.is_listed for other in others)


def list_players(draft: Draft, command: ListPlayers) -> Answer:
    """Answer with the players who can be played, and the players who play against one of them at the moment."""
    here = [player for player in draft.players.values() if player.is_listed or _is_shown(draft, player)]
    draft.tell(command.session, draft.lobby.player_list.of(here, draft.server.house))
    return Accepted()


def list_games(draft: Draft, command: ListGames) -> Answer:
    """Answer with the names of all games, sorted."""
    draft.tell(command.session, GamesListed(tuple(sorted(game.name for game in draft.games.values()))))
    return Accepted()
