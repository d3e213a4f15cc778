"""The command line: a module for each command or group of them.

main, package_clash  the table of commands, imported one at a time, and whether our packages are our own
common, effective_config, output
                     what commands share, the settings with every plug-in, and what standard output can show
databases            PostgreSQL, whose driver few have installed
serve, listeners, standby
                     the server, and one that waits until another is gone
admin, servers       status, kick, void, drain; the servers of a shared database
agreement            asks again before a command takes something away
tournament, tournament_gathering, tournament_options, tournament_run, tournament_text, tournament_screen, fitted_table
                     what a teacher does to tournaments, and how they are shown
own_server, outage   a server that a command starts for itself, and words while a server is away
match, match_report, bot_processes
                     two bots against each other, what their games say, and bots as child processes
check, check_jobs, check_report
                     plays scenarios with a client, and what becomes of the report
client_options       the client of `check` and of `replay --to-client`
rehearse             a tournament in virtual time
proxy, proxy_log     a network with faults between clients and a server
replay, replay_to_client, blame, export, record_lookup
                     finished matches
copy                 all data, to another database
roster, class_list, shared_table
                     secrets for a class, in a file or in the database of all halls
show                 pages of help, settings, plug-ins
play                 a game at the terminal
wire_log             a player's wire log
"""
