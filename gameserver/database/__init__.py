"""The databases under the journal and the records: one interface, and for each database what only it has.

address             The setting `data`
connection          The interface to a database, as far as the records' queries need one
postgresql          PostgreSQL, as far as it differs
postgresql_schema   The layout of the tables in PostgreSQL
postgresql_writing  Statements that write many rows at once, and several of them as one
sqlite              SQLite, as far as it differs
"""
