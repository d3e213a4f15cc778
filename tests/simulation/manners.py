"""The behaviour of bots: mostly sense, sometimes too late, too much or nonsense; at the end, only sense."""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from gameserver.game import State
from tests.simulation.bot import Bot, Spoken, View
from tests.simulation.plan import GAMES, NAMES, PLAIN_GAMES

if TYPE_CHECKING:
    from tests.simulation.world import World

GAME_NAMES = (*PLAIN_GAMES, "Go")
FAITHFUL = 0.9
"""The probability that a player asks for a game on the menu."""
OTHERS = ("house-random", "house-greedy", "nobody", NAMES[0])
WRONG_MOVES = ("99", "x", "-1", "0", "4", "roll", "pass")
PIPELINED_MAX = 8
MUTTER_MS = (300, 700)
"""Times before the end of its turn at which a player sends `MUTTERED` other commands."""
MUTTERED = 9
FLIGHT_MS = (20, 250)
"""Times after which a fickle player's connection breaks."""

Saying = Callable[[Bot, Random], Spoken]


def _said(bot: Bot) -> str:
    return bot.chance.choice(("hi", 'so "they" say', "a" * 140, "a" * 141, "tschüß"))


def _other(bot: Bot) -> str:
    chance = bot.chance
    return chance.choice(bot.world.bots).name if chance.random() < 0.7 else chance.choice(OTHERS)


def _game(bot: Bot) -> str:
    return bot.chance.choice(bot.world.menu if bot.chance.random() < FAITHFUL else GAME_NAMES)


_SAYINGS: dict[str, Saying] = {
    "login": lambda bot, _: bot.spelling.login(bot.credentials),
    "logout": lambda bot, _: bot.spelling.logout(),
    "seek": lambda bot, chance: bot.spelling.seek(_game(bot)),
    "withdraw": lambda bot, _: bot.spelling.withdraw(),
    "challenge": lambda bot, chance: bot.spelling.challenge(
        _other(bot), _game(bot), chance.choice((None, None, 1, 2, 3, 0))
    ),
    "accept": lambda bot, chance: bot.spelling.accept(chance.choice((*bot.client.challenges, None))),
    "stray move": lambda bot, chance: bot.spelling.move(chance.choice(WRONG_MOVES)),
    "resign": lambda bot, _: bot.spelling.resign(),
    "say": lambda bot, chance: bot.spelling.say(_other(bot), _said(bot)),
    "ask": lambda bot, _: bot.spelling.ask(),
    "nonsense": lambda bot, _: bot.spelling.nonsense(),
    "last straw": lambda bot, _: bot.spelling.last_straw(),
}
_WHEN_NEW = {"login": 40, "ask": 2, "nonsense": 2, "seek": 1, "resign": 1, "logout": 1, "stray move": 1}
_WHEN_FREE = {
    "seek": 30,
    "challenge": 20,
    "accept": 2,
    "withdraw": 3,
    "ask": 5,
    "say": 5,
    "nonsense": 3,
    "stray move": 1,
    "resign": 1,
    "logout": 1,
    "login": 1,
    "last straw": 0.4,
}
_WHEN_PLAYING = {
    "seek": 8,
    "say": 5,
    "ask": 6,
    "nonsense": 3,
    "resign": 1,
    "stray move": 3,
    "challenge": 1,
    "accept": 1,
    "withdraw": 1,
    "logout": 0.4,
    "last straw": 0.2,
}
TERSE = 0.7
"""The probability that a player sends a move without other lines before it."""
CHATTER = 0.25
"""The probability that a player says something beside moves when it could."""


class Manners:
    """The behaviour of bots. Everything is drawn from the bot's own numbers."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._haste = world.plan.haste()
        self._muttering, self._fickleness = world.plan.muttering(), world.plan.fickleness
        self._whims = world.plan.stream("whims")

    def think(self, bot: Bot, view: View) -> None:
        """Decide when to answer a turn: mostly at once, sometimes at the last moment, or too late."""
        turn, now_ms, chance = view.turn, self._world.real_ms, bot.chance
        quick, mood, extra, talk = chance.random(), chance.random(), chance.random(), chance.random()
        allowed_ms = turn.allowed_ms or 0
        margin_ms = self._world.rules.late_margin_ms
        view.talk = 0 if self._world.calm or talk < TERSE else chance.randint(1, PIPELINED_MAX)
        if self._world.calm or quick < self._haste:
            view.reply_due_ms = now_ms + int(100 * extra * extra)
        elif mood < 0.3:
            view.reply_due_ms = turn.real_ms + allowed_ms - int(120 * extra)
        elif mood < 0.7:
            view.reply_due_ms = turn.real_ms + allowed_ms + margin_ms + int(400 * extra * extra) - 30
        elif mood < 0.9:
            view.reply_due_ms = now_ms + int(allowed_ms * extra)
        else:
            view.reply_due_ms = None
        if self._muttering and allowed_ms and not self._world.calm and self._whims.random() < self._muttering:
            end_ms = turn.real_ms + allowed_ms
            view.mutters_ms, view.reply_due_ms = end_ms - self._whims.randint(*MUTTER_MS), end_ms - 200

    def tend(self, bot: Bot) -> None:
        view = bot.view
        if view is None or view.turn is None or view.reply_end is not None or not bot.can_speak:
            return
        if view.mutters_ms is not None and view.mutters_ms <= self._world.real_ms:
            view.mutters_ms = None
            for number in range(MUTTERED):
                bot.speak(bot.spelling.withdraw() if number % 2 else bot.spelling.seek(_game(bot)))
        elif view.reply_due_ms is not None and view.reply_due_ms <= self._world.real_ms:
            for _ in range(view.talk):
                self._say(bot, bot.chance.choice(("say", "seek", "ask")))
            bot.speak(bot.spelling.move(self._move(bot, view)))

    def act(self, bot: Bot) -> None:
        if bot.wire is None:
            self._connect(bot)
            return
        if bot.view is not None and bot.chance.random() > CHATTER:
            return
        while bot.can_speak and len(bot.waiting) < PIPELINED_MAX:
            self._say(bot)
            if bot.chance.random() > 0.25:
                return

    def finish(self, bot: Bot) -> None:
        """In the calm at the end: be here, take the seat back, and play on."""
        if bot.wire is None:
            self._connect(bot)
        elif not bot.entered and not bot.waiting and not bot.leaving:
            bot.speak(bot.spelling.login(bot.credentials))

    def _connect(self, bot: Bot) -> None:
        if not bot.may_connect():
            return
        bot.connect()
        if self._world.calm or bot.chance.random() < 0.9:
            bot.speak(bot.spelling.login(bot.credentials))
            self._may_flee(bot, 1 if bot.was_playing else 0)
            if not self._world.calm and bot.chance.random() < 0.4:
                self._say(bot, "seek")

    def _say(self, bot: Bot, what: str | None = None) -> None:
        if what is None:
            wishes = _WHEN_NEW if not bot.entered else _WHEN_FREE if bot.view is None else _WHEN_PLAYING
            (what,) = bot.chance.choices(list(wishes), list(wishes.values()))
            if bot.client.challenges and bot.view is None and bot.chance.random() < 0.6:
                what = "accept"
        bot.speak(_SAYINGS[what](bot, bot.chance))
        if what in ("seek", "accept") and bot.view is None:
            self._may_flee(bot, 0.3)

    def _may_flee(self, bot: Bot, share: float) -> None:
        if self._fickleness and not self._world.calm and self._whims.random() < self._fickleness * share:
            bot.flees_ms = self._world.real_ms + self._whims.randint(*FLIGHT_MS)

    def _move(self, bot: Bot, view: View) -> str:
        if not self._world.calm and bot.chance.random() < 0.03:
            return bot.chance.choice(WRONG_MOVES)
        state = view.seen.state if view.seen.state is not None else self._on_the_board(view)
        if state is None:
            return "roll"
        move = bot.chance.choice(state.legal_moves(view.seen.own_seat) or ("?",))
        return move if move == "?" else GAMES[view.seen.opened.game.lower()].write_move(move)

    def _on_the_board(self, view: View) -> State[Any] | None:
        """Give the position of a game with dice, as a player has it who follows the dice too."""
        process = self._world.process
        match = None if process is None or view.seen.opened.game == "Dice" else process.lobby.matches.get(view.match)
        return None if match is None else match.state
