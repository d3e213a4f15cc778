"""`python -m gameserver`: the command line where the installed command is not on the path."""

from gameserver.cli.main import main

if __name__ == "__main__":
    main(prog_name="gameserver")
