"""The command line: a module for each command or group of them, put together by `gameserver.cli.main`.

main                 the table of commands, imported one at a time
common               what commands share; effective_config has the settings with every plug-in
serve, listeners     the server
admin, tournament*   what a teacher does to a running one
match, bot_processes two bots against each other, and bots as child processes
rehearse             a tournament in virtual time
replay, blame, export, record_lookup
finished matches
roster, class_list   secrets for a class
play, show, wire_log a game at the terminal; pages of help, settings, plug-ins; a player's wire log
"""
