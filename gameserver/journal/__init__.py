"""The ordered log of accepted commands: one interface, in memory and in SQLite.

journal              what every journal offers
codec                commands as rows, and back
checksum             the checksum of a row
memory, sqlite       the two journals
leadership           who leads, over a database that several servers share
sql_journal          what journals in SQL databases share
copy, copy_sides     everything from one database to another
data_file            opens the SQLite file, or says why it cannot be used
file_lock            one server to a file
write_ahead_log      reads SQLite's log to see whether it is whole
snapshot             the whole lobby as one value
recovery             the lobby of the last run: the snapshot, and every row after it decided again
lost_game            stands in for a game whose plug-in is gone or whose rules changed
"""
