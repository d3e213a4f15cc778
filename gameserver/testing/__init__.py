"""The contract kits: checks that every game and every protocol must pass, built-in or third-party.

game_kit             check_game, for rules; it plays random games
protocol_kit         check_protocol, for adapters; it plays whole matches through them
contract             the errors that a kit reports

The contract kit for games: it knows no rules, only what every game promises.

check_game           plays random games, and has everything below checked on the way
definitions          a game before any move: its name, options and strategies
positions            a position: every method is called, and its answer checked
moves                moves, read and written in every spelling
junk                 text that is no move
touches              what a seat's picture offers to be touched
secrecy              what a player must not see

It imports what a game author may import, and nothing of a protocol.

The contract kit for protocols: it knows no words, only what every adapter promises.

check_protocol       says to an adapter what clients, the network and the lobby may say to it
speaker, driver      the facts that the author gives: how a player of the protocol speaks and listens
conversations        one connection by itself: greeting, answers, events
byte_streams         its bytes: cut anywhere, junk, backpressure
matches, player      whole matches against a text player, of every game that the protocol carries
hall                 the lobby of the kit
connection, wire     ways to it, in memory
event_samples        one event of each kind
secret_game          a game with hidden moves

The lobby decides by the real core; its clock is stopped.
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.game_kit import check_game
from gameserver.testing.protocol_kit import check_protocol
from gameserver.testing.speaker import Driver, HttpAnswer, Moved, Over, Position, Speaker, Told, Wire, YourTurn

__all__ = [
    "ContractError",
    "Driver",
    "HttpAnswer",
    "Moved",
    "Over",
    "Position",
    "Speaker",
    "Told",
    "Wire",
    "YourTurn",
    "check_game",
    "check_protocol",
]
