"""Bots of `examples/` with a single fault each: `python faulty_examples.py FAULT OPTIONS...`.

The text protocol has `faulty_clients`; these are for the other ones. A fault is a class that takes the bot's place.
"""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))

import connect_four_bot  # noqa: E402 - found only now
import gammonx_bot  # noqa: E402
import mastermind_breaker  # noqa: E402
import web_bot  # noqa: E402


class MovesOnStarted(connect_four_bot.Bot):
    def on_started(self, message):
        super().on_started(message)
        self.make_move()


class GivesUpAfterStart(connect_four_bot.Bot):
    def send(self, action, **more):
        super().send(action, **more)
        if action == "start":
            threading.Timer(1.0, lambda: self.playing or os._exit(1)).start()


class WaitsWhereTheRoomIsFull(connect_four_bot.Bot):
    def on_error(self, reason, message):
        if reason != "game full":
            super().on_error(reason, message)


class PassesOverAnUnaskedLobby(connect_four_bot.Bot):
    def on_lobby(self, free_lobbies):
        if self.sent in {"connect", "exit game"}:
            super().on_lobby(free_lobbies)


class CountsTheWinningMove(connect_four_bot.Bot):
    def on_line(self, line):
        message = json.loads(line)
        if message["event"] == "game over":
            print("a line of", len(message["winning move"]))
        super().on_line(line)


class PlaysOneColumn(connect_four_bot.Bot):
    def make_move(self):
        self.send("move", move="a0")


class ExpectsAnAnswerFirst(mastermind_breaker.Breaker):
    def ask(self, kind, content, wanted):
        return super().ask(kind, content, tuple(one for one in wanted if one != mastermind_breaker.GAME_END))


class ExpectsToWin(mastermind_breaker.Breaker):
    def ask(self, kind, content, wanted):
        heard, answer = super().ask(kind, content, wanted)
        assert answer.get("Won", True)
        return heard, answer


class GuessesAgainAfterASecond(mastermind_breaker.Breaker):
    def ask(self, kind, content, wanted):
        again = threading.Timer(1.0, self.socket.sendall, [f"{kind}|{json.dumps(content)}\n".encode()])
        again.start()
        try:
            return super().ask(kind, content, wanted)
        finally:
            again.cancel()


class ActsInItsOwnTurn(gammonx_bot.Bot):
    async def on_state(self, arguments):
        if arguments[0]["type"] != "double-offered":
            await super().on_state(arguments)


class LeavesWithItsOpponent(gammonx_bot.Bot):
    def new_hub(self):
        hub = super().new_hub()
        hub.on("player-disconnected", self.on_leave)
        return hub


class WaitsForNobody(gammonx_bot.Bot):
    async def join(self):
        await super().join()
        self.timer = asyncio.get_running_loop().call_later(0.5, self.is_over.set)

    async def on_state(self, arguments):
        self.timer.cancel()
        await super().on_state(arguments)


class IsReadyIfItHasAsked(web_bot.Bot):
    def hear(self, socket, message):
        if message["tell"] == "welcome":
            self.key = message["key"]
        elif message["tell"] != "paired":
            super().hear(socket, message)


class DiesOnChat(web_bot.Bot):
    def hear(self, socket, message):
        assert message["tell"] != "said"
        super().hear(socket, message)


class KnowsTwoResults(web_bot.Bot):
    def match_over(self, socket, message):
        print({"win": "won", "loss": "lost"}[message["result"]])
        super().match_over(socket, message)


def main(fault: str, *options: str) -> None:
    bot = globals()[fault]
    (example,) = bot.__bases__
    module = sys.modules[example.__module__]
    setattr(module, example.__name__, bot)
    sys.argv = [example.__module__, *options]
    ended = module.main()
    raise SystemExit(asyncio.run(ended) if asyncio.iscoroutine(ended) else ended)


if __name__ == "__main__":
    main(*sys.argv[1:])
