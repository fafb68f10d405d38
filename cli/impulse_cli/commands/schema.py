"""``impulse schema``: the scene format for editors and other programs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE
from impulse_cli.terminal import say


@click.command()
@click.option("--xsd", is_flag=True, help="XML Schema of the .xml files.")
@click.option("--json-schema", is_flag=True, help="JSON Schema of the .json files.")
@click.option("-o", "--output", metavar="FILE", type=FILE, help="Write to a file, not to stdout.")
def schema(xsd: bool, json_schema: bool, output: Path | None) -> None:
    """Print the schema of scene files, XSD or JSON Schema.

    An editor that knows the schema completes names and marks mistakes while you type.

    \b
    Example:
      impulse schema --xsd > scene.xsd
      impulse schema --json-schema -o scene.schema.json
    """
    if xsd == json_schema:
        raise click.UsageError("Choose one of --xsd and --json-schema.")
    import impulse_schema

    text = impulse_schema.xsd() if xsd else json.dumps(impulse_schema.json_schema(), indent=2)
    text = text.rstrip("\n") + "\n"
    if output is None:
        for line in text.splitlines():
            say(line)
        return
    from impulse_core.recording import write_atomically

    check_outputs([output], inputs=[])
    write_atomically(output, text.encode())
    say(f"wrote {output}")
