"""The twelve games of OpenSpiel that this server knows: their names, looks and exports.

A row a game. Its guide is in `guides`, and its house levels are in `players`. For other games OpenSpiel's own texts
serve.
"""

from collections.abc import Mapping

from attrs import frozen

from games.open_spiel import boards, grid_games
from games.open_spiel.chess import Chess, write_pgn
from games.open_spiel.looks import Look
from games.open_spiel.sgf_exports import write_go, write_hex
from gameserver.game import Export


@frozen
class Row:
    """A game of OpenSpiel by its name here and `spiel`, OpenSpiel's string of its usual form."""

    name: str
    spiel: str
    look: Look
    aliases: tuple[str, ...] = ()
    exports: Mapping[str, Export] = {}
    moves_max: int = 2000
    """Moves and draws after which the game is drawn, if OpenSpiel does not end it earlier."""


CATALOGUE: Mapping[str, Row] = {
    row.spiel.partition("(")[0]: row
    for row in (
        Row("Chess", "chess", Chess(), exports={"pgn": write_pgn}, moves_max=600),
        Row("Go-9x9", "go(board_size=9)", grid_games.GO, ("Go", "Go9", "Baduk", "Weiqi"), {"sgf": write_go}),
        Row("Hex", "hex(board_size=11)", grid_games.HEX, ("Hex-11",), {"sgf": write_hex}),
        Row("Connect-four", "connect_four", grid_games.ConnectFour()),
        Row("Checkers", "checkers", grid_games.Checkers(), ("Draughts",)),
        Row("Breakthrough", "breakthrough", grid_games.Breakthrough()),
        Row("Gomoku", "gomoku", grid_games.Gomoku(), ("Five in a row",)),
        Row("Amazons", "amazons", grid_games.Amazons(), ("Game of the Amazons",)),
        Row("Ultimate-tic-tac-toe", "ultimate_tic_tac_toe", boards.Ultimate()),
        Row("Dots-and-boxes", "dots_and_boxes(num_rows=4,num_cols=4)", boards.Dots()),
        Row("Lines-of-action", "lines_of_action", grid_games.LinesOfAction(), ("LOA",)),
        Row("Oware", "oware", boards.Oware(), ("Awari",)),
    )
}
"""The games that `games = "default"` brings, by OpenSpiel's short name."""
