"""The ordered log of accepted commands: one interface, in memory, in SQLite and in PostgreSQL.

journal              what every journal offers
codec                commands as rows, and back
checksum             the checksum of a row
memory, sqlite       the journals of one server
postgresql           the journal that servers on several machines share
postgresql_session   what it asks and writes, as SQL
postgresql_ratings   ratings that several halls share
postgresql_halls     the halls of the database
leadership           who leads, over a database that several servers share
sql_journal          what journals in SQL databases share
copy, copy_sides, copy_postgresql
                     everything from one database to another
data_file            opens the SQLite file, or says why it cannot be used
file_lock            one server to a file
write_ahead_log      reads SQLite's log to see whether it is whole
snapshot             the whole lobby as one value
recovery             the lobby of the last run: the snapshot, and every row after it decided again
lost_game            stands in for a game whose plug-in is gone or whose rules changed
"""
