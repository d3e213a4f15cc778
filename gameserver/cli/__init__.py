"""The command line: a module for each command or group of them.

admin               Commands of a teacher to the running server
bot_processes       Bots that a command starts, watches and ends
check               `gameserver check`
client_options      The options of commands that play with one client, `check` and `replay --to-client`, and what
                    they mean
common              Helpers that commands share and that import no plug-in
copy                `gameserver copy`
databases           Opens PostgreSQL for a command
effective_config    The settings that a command works with, as `gameserver serve` reads them
fitted_table        Tables that fit a terminal
ladder              `gameserver ladder`
main                The command line
match               `gameserver match A B`
output              Standard output, whatever it can show
play                `gameserver play`
proxy               `gameserver proxy LISTEN TARGET`
prune               `gameserver records prune`
records             `gameserver export`
rehearse            `gameserver rehearse`
replay              `gameserver replay`
roster              `gameserver roster`
season              `gameserver season`
serve               `gameserver serve`
show                Commands that show what is installed and set
tournament          `gameserver tournament`
tournament_options  Options that the commands about tournaments share
tournament_text     Tournaments as tables for a terminal
"""
