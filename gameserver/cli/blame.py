"""`gameserver blame`: explains why a player lost."""

from pathlib import Path

import click

from gameserver.cli.common import config_option, data_option
from gameserver.cli.record_lookup import found, records
from gameserver.records.loss_explanation import blame


@click.command(name="blame")
@click.argument("match", type=int)
@config_option
@data_option
def show_blame(match: int, config_file: Path | None, data: str | None) -> None:
    """Explain why a finished match was lost: the rule, the times, the server, the network."""
    with records(config_file, data) as connection:
        for line in blame(found(connection, match)):
            click.echo(line)
