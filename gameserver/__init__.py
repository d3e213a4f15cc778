"""One lobby server for game clients of several wire protocols.

admin           The admin listener
agent           Plays a trained policy in a lobby, over the text protocol
authentication  Names and secrets
chance          The rule by which chance falls, so that players can check it
check           `gameserver check`
cli             The command line
config          The configuration
config_file     The config file as it is written
core            The lobby as a function
database        The databases under the journal and the records
drawing         A vocabulary of plain shapes, by which a game describes the look of its board
endpoints       HTTP endpoints of a protocol, beside or instead of its own sockets
engine          The single writer
environment     Games as PettingZoo environments, in which agents learn
exports         Finished matches and tournaments in the formats of other programs
followed_match  A match as lines of the text protocol tell it
flow_control    Limits of connections, commands and bytes, so that no client hurts another
game            The interface of a game
game_environment  A game as an `AECEnv` of PettingZoo
halls           Names of halls
http            HTTP and WebSocket
journal         The ordered log of accepted commands
ladder          Pairing of a ladder
logs            Logs
plugins         Finds games, protocols and libraries of games
time_control    The clock of a match as people write it: for a turn, for the whole match, or both
policies        Rules about which protocols and courses disagree, as data
probe           Probe of games in a child process, before the server loads what may crash
protocol        The interface of a wire protocol
proxy           A fault injector between any client and any server
ratings         Strength of players, and how sure it is
read_model      The read model
records         Facts about finished matches and tournaments, as SQL tables that a teacher can open
server          Assembly
settings        The settings of the house players, and the mark of numbers that no config sets
system          Starts and ends other programs, such as a student's bot
testing         The contract kits
tournaments     Tournaments as values
transport       Sockets
values          Frozen values that cost no more than others to make, and classes that cost little to define
web             The web pages
wire_log        Wire logs

Which of them may import which is a table in `tests/test_layout.py`; ARCHITECTURE.md tells why.
"""
