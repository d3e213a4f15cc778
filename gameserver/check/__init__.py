"""`gameserver check`: plays a client through scenarios on a server of its own, and reports what an event would break.

    steps, step_forms        the steps of a scenario as values, and the table of how they are written
    scenario, scenario_file  one scenario, and how its file is read
    library                  the scenarios of a protocol, and those of a course
    checker                  plays scenarios one after the other
    director                 performs the steps of one, and watches the client
    acts, match_acts, room_acts, wire_acts, expectations
                             how each step is performed: what happens, and what is expected of the client
    meeting                  begins matches, in whichever way a client meets others
    scene                    the parts of a scenario, put together
    server_under_check, answers
                             a server in the same process, and what it refuses the client
    client                   the program that is checked
    opponent, choosing       the players of the check, and their moves
    foresight                a small game to its end, against this client
    editor                   what a scenario changes in the lines that pass
    wire_record              the lines that passed
    skipping_clock           time that nobody has to wait for
    verdict                  what went wrong, in sentences
    advice                   what there is to change after it
    replaying                plays a match on record again to a live client
    recorded_game            a game with the options and the dice of a match on record
    duration                 the time that scenarios take, said beforehand
    report                   the values of a whole report
    reports                  the forms in which people and programs read one

A scenario is a small text file that reads as English, so that a course can add its own. `CLIENT` is the program
that is checked; every other word in capitals is a player whom the check plays.

The forms of a report. Each is a function from a `CheckReport` to text, and touches nothing else.

text         for the terminal
html         one file for a browser
json_report  for programs
junit        for Jenkins, GitLab and GitHub
badge        a line for a README
words        what these share
"""
