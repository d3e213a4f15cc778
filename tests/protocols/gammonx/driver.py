"""A driver for the contract kit: a player of GammonX joins over REST, and plays at the hub."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

from games.backgammon.notation import Word, read_move
from games.backgammon.variants import FEVGA, VARIANTS, Variant
from gameserver.testing import Driver, HttpAnswer, Over, PositionTold, Told, YourTurn
from protocols.gammonx.profiles import PROFILES
from protocols.gammonx.schema import GAME_OF, MODUS_OF, MatchModus, MatchType
from tests.support.signalr_client import call, records

METHODS = {
    Word.ROLL: "Roll",
    Word.END: "EndTurn",
    Word.UNDO: "UndoMove",
    Word.DOUBLE: "OfferDouble",
    Word.TAKE: "AcceptDouble",
    Word.DROP: "DeclineDouble",
}
STARTS = ("StartMatch", "StartGame")
TO_MOVE = {"Move", *METHODS.values()}
VARIANT_OF = {game: number for number, game in GAME_OF.items()}
VARIANT_IN = {modus: VARIANTS[name] for name, modus in MODUS_OF.items()}


class GammonXDriver(Driver):
    """A player who looks for anybody, for one game or, in Tavli, for one of each."""

    comes_back = True

    match_id = ""
    seat = 0
    rounds_told = 0

    @property
    def player_id(self) -> str:
        """The player's GUID."""
        return str(uuid5(NAMESPACE_DNS, self.name))

    def find(self, game: str) -> None:
        wishes = {
            "PlayerId": self.player_id,
            "MatchVariant": VARIANT_OF[game],
            "MatchModus": MatchModus.NORMAL,
            "MatchType": MatchType.CASH_GAME,
        }
        self.match_id = self.post("join", wishes)["queueId"]
        self.ask("JoinMatch", self.player_id)

    def says(self, text: str) -> bool:
        """One checker at a time."""
        return " " not in text

    def move(self, game: str, text: str) -> None:
        move = read_move(text)
        if isinstance(move, Word):
            self.ask(METHODS[move])
        else:
            ((source, target),) = move
            self.ask("Move", -1 if source == 25 else 24 - source, -100 if target == 0 else 24 - target)

    def come_back(self, before: Driver) -> None:
        assert isinstance(before, GammonXDriver)
        self.match_id, self.rounds_told = before.match_id, before.rounds_told
        self.ask("JoinMatch", self.player_id)

    def read(self, data: bytes) -> Sequence[Told]:
        if not data.endswith(b"\x1e"):
            raise ValueError("the last record has no end")
        return [told for record in records(data) if record.get("type") == 1 for told in self._told(record)]

    def ask(self, method: str, *arguments: Any) -> None:
        """Invoke a method of the hub."""
        self.wire.send(call(method, self.match_id, *arguments, id="1"))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Make a request of the REST part, which must be done; its payload."""
        path = f"{PROFILES[self.wire.profile].prefix}/api/matches/{path}"
        answer: HttpAnswer = self.wire.request("POST", path, json.dumps(body).encode())
        assert answer.status == 200, answer
        return json.loads(answer.body)["payload"]

    def _told(self, record: dict[str, Any]) -> Sequence[Told]:
        payload = record["arguments"][0]["payload"]
        allowed = payload["allowedCommands"]
        if record["target"] == "error":
            raise ValueError(payload["message"])
        told: list[Told] = []
        if "player1" in payload:
            player1 = payload["player1"]
            self.seat = 0 if (player1 if isinstance(player1, str) else player1["id"]) == self.player_id else 1
        if "gameRounds" in payload:
            told += self._results(payload["gameRounds"])
        if "boardState" in payload:
            told.append(self._position(payload))
        for start in STARTS:
            if start in allowed:
                self.ask(start)
        if TO_MOVE.intersection(allowed):
            told.append(YourTurn())
        return told

    def _results(self, rounds: Sequence[dict[str, Any]]) -> Sequence[Told]:
        """The games that are over and were not told of before."""
        over = [each for each in rounds if each["phase"] == 6][self.rounds_told :]
        self.rounds_told += len(over)
        return [
            Over("draw" if each["winner"] is None else "win" if each["winner"] == self.player_id else "loss")
            for each in over
        ]

    def _position(self, payload: dict[str, Any]) -> PositionTold:
        """The board as the game has it. Every client sees itself as white."""
        board, variant = payload["boardState"], VARIANT_IN[payload["modus"]]
        facts = {
            "fields": board["fields"],
            "pinned": board["pinnedFields"],
            "bar": [board["homeBarCountWhite"], board["homeBarCountBlack"]],
            "off": [board["bearOffCountWhite"], board["bearOffCountBlack"]],
            "pips": [board["pipCountWhite"], board["pipCountBlack"]],
        }
        if self.seat == 1:
            facts = {
                name: _swapped(values, variant) if name in {"fields", "pinned"} else values[::-1]
                for name, values in facts.items()
            }
        rolled = [die["roll"] for die in payload["diceRolls"]]
        return PositionTold({**facts, "variant": variant.name, "turn": payload["turnNumber"], "rolled": rolled})


def _swapped(fields: list[int] | None, variant: Variant) -> list[int] | None:
    """Black's board as white's: in Fevga it is turned by half, else seen from the other end."""
    if fields is None:
        return None
    return [-count for count in (fields[12:] + fields[:12] if variant is FEVGA else fields[::-1])]
