"""`gameserver match`: many games of two, and who is the better one."""

from pathlib import Path

from click.testing import CliRunner

from gameserver.cli import main
from gameserver.commands.match import difference
from tests.end_to_end.support import Server


def test_two_house_players_and_what_their_games_say(tmp_path: Path) -> None:
    server = Server(tmp_path, {}, listen=("strategic=127.0.0.1:0", "admin=127.0.0.1:0"))
    server.start()
    try:

        def match(*arguments: str) -> str:
            return CliRunner().invoke(main, ["match", *arguments, "--data", str(server.data)]).output

        said = match("house-greedy", "house-random", "--game", "Reversi", "--games", "6")
        assert "house-greedy against house-random, 6 games" in said
        assert "likelihood of superiority" in said
        assert "inf" not in said
        assert "nan" not in said
        games = server.matches()
        assert len(games) == 6
        assert len({tuple(game.players) for game in games}) == 2, "both have had both seats"
        assert "ann is not here" in match("ann", "house-random", "--game", "Reversi")
        assert "two players" in match("ann", "ann", "--game", "Reversi")
        assert "--games 300" in match("ann", "bob", "--game", "Reversi", "--games", "250")
    finally:
        server.close()


def test_the_games_count_for_the_first_player_in_either_seat() -> None:
    results = [("ann", "1-0"), ("bob", "0-1"), ("bob", "1-0"), ("ann", "½-½"), ("ann", "+/-"), ("ann", "")]
    found = difference({"pairings": [{"first": first, "result": result} for first, result in results]}, "ann")
    assert (found.wins, found.draws, found.losses) == (2, 1, 1)
