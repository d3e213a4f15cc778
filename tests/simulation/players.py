"""The players of a steady world, by protocol. They hold nothing that a kill could change."""

from collections.abc import Sequence
from typing import ClassVar

from attrs import define

from gameserver.core.match import Match
from tests.clients.connect_four import Stage
from tests.simulation.bot import Bot
from tests.simulation.client import Client
from tests.simulation.manners import Manners
from tests.simulation.room_board import Board
from tests.simulation.rooms import RoomClient
from tests.simulation.steady import SteadyWorld
from tests.simulation.tickets import TicketClient
from tests.simulation.view import View

NO_MOVE = "99"
"""What is a legal move nowhere."""


def steady(client: Client) -> SteadyWorld:
    """The world, as these players know it."""
    assert isinstance(client.world, SteadyWorld)
    return client.world


class SteadyManners(Manners):
    """What those do when it is their turn."""

    def tend(self, bot: Bot) -> None:
        view, world = bot.view, steady(bot)
        if view is None or view.turn is None or view.reply_end is not None or not bot.can_speak:
            return
        match = world.live(view.match)
        if view.reply_due_ms is None or view.reply_due_ms > world.real_ms or match is None:
            return
        own_moves = sum(player == bot.name for player, _ in view.told.moves)
        due = world.due(match, view.seen.own_seat, own_moves)
        if due == "leave":
            world.leave(bot, match)
        elif due == "err":
            bot.speak(bot.spelling.move(NO_MOVE))
        elif due == "resign":
            bot.speak(bot.spelling.resign())
            view.reply_end = None if bot.wire is None else bot.wire.sent_bytes
        elif due != "oversleep":
            bot.speak(bot.spelling.move(self._steady_move(bot, view, match)))

    def _steady_move(self, bot: Bot, view: View, match: Match) -> str:
        state = match.state if view.seen.state is None else view.seen.state
        moves = state.legal_moves(view.seen.own_seat) or ("?",)
        move = steady(bot).numbers_for(match, len(view.told.moves)).choice(moves)
        return "?" if move == "?" else match.game.write_move(move)


@define(eq=False)
class SteadyRoomClient(RoomClient):
    """In the rooms: seated, and ready for whoever is the next."""

    def tend(self) -> None:
        board = self.board
        match = None if board is None else steady(self).live(board.meant.match)
        if board is None or board.turn is None or board.reply_end is not None or match is None:
            return
        own_moves = sum(player == self.name for player, _ in board.told.moves)
        due = steady(self).due(match, board.meant.seat, own_moves)
        if due == "leave":
            steady(self).leave(self, match)
        elif due == "resign" and self.can_speak:
            board.reply_end = self.say("resign")
        else:
            super().tend()

    def choose(self, moves: Sequence[str], board: Board) -> str:
        match = steady(self).live(board.meant.match)
        assert match is not None, "looked at by `tend`"
        return steady(self).numbers_for(match, len(board.told.moves)).choice(moves)

    def wind_up(self) -> None:
        if steady(self).is_over or self.wire is None or self.speaks.stage is Stage.ARRIVED:
            super().wind_up()
        elif self.can_speak and not self.speaks.awaits:
            if self.speaks.stage is Stage.LOBBY:
                self._join(self.index % self.world.rules.room_count if self.kept is None else self.kept)
            elif self.speaks.stage is Stage.ROOM and not self.is_waiting:
                self._begin_game("start")
            elif self.speaks.stage is Stage.OVER and not self.is_waiting:
                self._begin_game("restart")


@define(eq=False)
class SteadyTicketClient(TicketClient):
    """With a ticket for each match, and the patience of the known clients, which wait for as long as it takes."""

    patience_ms: ClassVar[int] = 60_000

    def tend(self) -> None:
        payload, due_ms, wire = self.payload, self.reply_due_ms, self.wire
        if payload is None or due_ms is None or due_ms > self.world.real_ms or not self.can_speak:
            return
        assert wire is not None, "it can speak"
        self.reply_due_ms = None
        told = wire.matches_told[-1]
        match = steady(self).live(told.match)
        if match is not None and self._due(match, told.seat) == "resign":
            self._invoke("ResignMatch")
            return
        method = next((name for name in payload["allowedCommands"] if not name.startswith("Resign")), None)
        if method == "Move":
            step = payload["moveSequences"][0]["moves"][0]
            self._invoke("Move", step["from"], step["to"])
        elif method is not None:
            self._invoke(method)

    @property
    def prefix(self) -> str:
        return ""

    def gives_up(self) -> bool:
        return False

    def _due(self, match: Match, seat: int) -> str:
        if match.scheduled is None:
            return "resign"  # who came before the tournament began, and was found an opponent
        return steady(self).due(match, seat, sum(move.seat == seat for move in match.moves))

    def wind_up(self) -> None:
        if steady(self).is_over:
            super().wind_up()
        elif self.wire is None:
            if self.may_connect():
                self._call(at_hub=bool(self.ticket))
        elif not self.at_hub:
            self._lose_patience()
