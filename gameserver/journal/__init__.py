"""The ordered log of accepted commands: one interface, in memory, in SQLite and in PostgreSQL.

codec        Commands as journal rows and back
copy         Copies a whole journal with its records from one database to another
journal      The ordered log
leadership   Decides who leads a hall, and what a lost connection to the database means
postgresql   The journal in a PostgreSQL database, with the records beside it, for servers on several machines
recovery     The lobby as the journal tells it
snapshot     The whole lobby as one value, so that a start need not replay what was before it
sql_journal  The journal in an SQL database, as far as all databases share it, and the one in memory
sqlite       The journal in one SQLite file, with the records beside it
"""
