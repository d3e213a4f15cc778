"""The engine: asks the code maker for a secret, then the code breaker for guesses, until the board says it is over."""

from attrs import frozen

from games.mastermind.board import Board, Turn
from games.mastermind.configuration import Configuration
from games.mastermind.game_io import GameIO
from games.mastermind.players import Player


@frozen
class GameEngine:
    """One game between two players of any kind."""

    configuration: Configuration
    io: GameIO
    code_maker: Player
    code_breaker: Player

    def run(self) -> Board:
        """Play the game to its end, showing the board before each guess; gives the last board.

        A code that does not fit raises `CodeError`; a wrong feedback raises ValueError. Both are bugs of
        the player's author.
        """
        board = Board(self.configuration)
        secret_code = self.code_maker.secret_code(self.configuration)
        board = board.with_secret(secret_code)
        while not board.is_over:
            self.io.show_board(board)
            guess = self.code_breaker.guess(self.configuration, board.turns)
            board = board.with_turn(Turn(guess, self.code_maker.feedback(guess, secret_code)))
        self.io.show_outcome(board)
        return board
