"""The tests: a directory for each package, under the same name, and a few that go across them.

core, engine, games, http, journal, protocols, tournaments, transport, web, ...
                     each package by itself, without processes
server               a server in the test's process, in virtual time
end_to_end           the installed command, real sockets, real clients
simulation           a seeded simulator of the whole server, under every misfortune
fuzz                 every adapter is sent what no client should send
benchmarks           what the server costs; no test asserts a time
support              what the tests of several areas share
"""
