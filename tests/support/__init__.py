"""Helpers that the tests of several areas share.

generators           the result of a generator that works in steps
lobbies              a lobby to play with: commands in, events out, without trio
journals             journals for tests
away_records         a journal whose records cannot be read for a while
shared_log           a journal that several servers share, which fails as told
shared_halls         halls side by side in memory
tournament_hall      a lobby in which tournaments are paired and played
tickets              searches by ticket in a lobby, as far as they have got
serving              a server in the test's own process, on loopback sockets, under the test's clock
transcripts          conversations as text files, held against a real server in virtual time
scenarios            scenarios as text files: visits to pages, commands and what they print
strategic_client, connect_four_client, mastermind_client, gammonx_client, signalr_client
                     a client of each protocol, by hand
socket_clients       the strict clients of GammonX's hub and of `web`, on sockets
by_hand              the parts that these share
rosters              rosters on files
tables               tables of plain text beside the tests that go through them
faults               bugs that end the connection of a player
edits                bugs that are planted on purpose, as edits of functions
games, buggy, echo, chat
                     odd games; protocols with bugs, of the simplest kind, and over SignalR
thoughtful_games     games whose strategies die, hang or cheat
example_games, own_plugins
                     the games in `examples`, and those of this repository alone
fixed_otherwise      the command with numbers that no config sets
drivers              both drivers of sockets, as a parameter of tests
elsewhere            processes that find Python as it is on Windows or macOS
browser, java, kits, node, npm
                     programs that tests drive, and how the packages of one are installed
stopping             a command that is ended while a client of its own runs
shared_directory     for what is made once in a run, such as compiled clients
play_page            a person at the page to play on, in that browser
proxies              headers of the PROXY protocol, and a proxy that sends them
postgresql           PostgreSQL clusters that can be killed, paused, replicated and promoted
postgresql_keeper    a process that removes them at the end
network              a machine of its own for a cluster, behind links that lose all packets when cut
cable                a network that can be cut without a word to either side
silence              a peer whose network is gone
purity               whether a decision leaves the lobby alone that it is made upon
examples             how many examples a property is tried with
"""
