"""`gameserver check`: plays a client through scenarios on a server of its own, and reports what an event would break.

acts                The steps of a scenario, performed
advice              Advice for the author of a client that failed
checker             Runs scenarios with a client, one after the other, and reports
director            Plays a scenario
duration            The time that scenarios take with a client that answers at once, without the starts of
                    its program
foresight           Looks through a small game to its end
match_acts          Performs the steps of matches
opponent            A player of the check
replaying           Plays a match on record again to a live client
report              The report of a check
reports             The report for a terminal
scenario            One scenario
scene               The scene of one scenario
server_under_check  The check's own server
steps               The steps of a scenario, as values
verdict             Says in sentences what went wrong
wire                Changes what passes between the client and the server, as a scenario wants it

A scenario is a small text file that reads as English, so that a course can add its own. `CLIENT` is the program
that is checked; every other word in capitals is a player whom the check plays.

The forms of a report. Each is a function from a `CheckReport` to text, and touches nothing else.
"""
