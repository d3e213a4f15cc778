"""`gameserver check`: plays a client through scenarios on a server of its own, and reports what an event would break.

    steps, step_forms        the steps of a scenario as values, and the table of how they are written
    scenario, scenario_file  one scenario, and how its file is read
    editor                   what a scenario changes in the lines that pass
    library                  the scenarios of a protocol, and those of a course
    report                   the values of a whole report
    reports                  the forms in which people and programs read one

A scenario is a small text file that reads as English, so that a course can add its own. `CLIENT` is the program
that is checked; every other word in capitals is a player whom the check plays.
"""
