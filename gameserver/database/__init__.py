"""The databases under the journal and the records: one interface, and for each database what only it has.

connection       what the queries of the records need of a database
sqlite           SQLite: opens a file to be read, and writes many rows
sqlite_schema    the layout of the records' tables there, and the way from an older one
"""
