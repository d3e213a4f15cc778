"""The databases under the journal and the records: one interface, and for each database what only it has.

connection       what the queries of the records need of a database
sqlite           SQLite: opens a file to be read, and writes many rows
sqlite_schema    the layout of the records' tables there

address                  tells by the setting `data` which database it is, and shows it without its password
postgresql               PostgreSQL: opens connections, and writes many rows
postgresql_arrays        columns of values as its arrays
postgresql_errors        its errors in one line
postgresql_pool          connections that are kept open for readers
postgresql_schema        the layout of all tables there, and the way from an older one
postgresql_statements    statements that write many rows, of several tables at once
"""
