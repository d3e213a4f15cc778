"""`gameserver check`: plays a client through scenarios on a server of its own, and reports what an event would break.

steps               the steps of a scenario as values, and how each is written
report              the report of a check as values
scenario            one scenario, its file, and where scenarios come from
wire                lines that pass between client and server: changed, kept
foresight           a small game, looked through to its end
server_under_check  the check's own server and its clock
opponent            a player of the check
verdict             sentences that say what went wrong
scene               the scene of one scenario: server, relay, players, client
director            plays a scenario, and watches the client
match_acts          the steps of matches, performed
acts                all other steps, and the table of them
duration            the time that scenarios take
advice              advice for the author of a client that failed
checker             scenarios, one after the other
replaying           a match on record, again
reports             five forms of one report

A scenario is a small text file that reads as English, so that a course can add its own. `CLIENT` is the program that is
checked; every other word in capitals is a player whom the check plays.
"""
