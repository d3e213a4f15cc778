"""Games whose code is broken, each in a way of its own. The tests give them to the server as a third party would."""

from typing import ClassVar

from attrs import evolve

from games.tic_tac_toe import Position, TicTacToe


class RaisesInStart(TicTacToe):
    name = "Raises in start"

    def start(self, options):
        raise ZeroDivisionError("no position to start with")


class Landmine(Position):
    def play(self, seat, move):
        if self.turn.number == 2:
            raise ZeroDivisionError("the third move")
        return Landmine(super().play(seat, move).cells)


class RaisesInPlay(TicTacToe):
    name = "Raises in play"

    def start(self, options):
        return Landmine()


class Stubborn(Position):
    def resigned(self, seat):
        raise ZeroDivisionError("never give up")


class RaisesInResigned(TicTacToe):
    name = "Raises in resigned"

    def start(self, options):
        return Stubborn()


class Speechless(Position):
    def play(self, seat, move):
        return Speechless(super().play(seat, move).cells)

    def prompt(self, seat):
        if self.turn.number == 2:
            raise ZeroDivisionError("no words")
        return ""


class RaisesInPrompt(TicTacToe):
    name = "Raises in prompt"

    def start(self, options):
        return Speechless()


class NobodyToMove(Position):
    @property
    def turn(self):
        turn = super().turn
        return turn if turn.number < 2 else evolve(turn, seats=())

    def play(self, seat, move):
        return NobodyToMove(super().play(seat, move).cells)


class Sulks(TicTacToe):
    name = "Sulks"

    def start(self, options):
        return NobodyToMove()


def no_idea(state, seat, choose):
    raise ZeroDivisionError("no idea")


class HasABadPlayer(TicTacToe):
    name = "Bad player"
    strategies: ClassVar = {"bad": no_idea}


START, PLAY, RESIGNED = RaisesInStart(), RaisesInPlay(), RaisesInResigned()
PROMPT, SULKS, STRATEGY = RaisesInPrompt(), Sulks(), HasABadPlayer()
