"""Runs __main__.py through the Automation API: reads commands from standard input, and
prints the outcome of each as a line of JSON."""

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from pulumi import automation as auto


def program() -> None:
    runpy.run_path(str(Path(__file__).with_name("__main__.py")), run_name="__main__")


def run(stack: auto.Stack, command: str, *args: str) -> dict[str, Any]:
    match command:
        case "preview":
            return {"changes": stack.preview().change_summary}
        case "up":
            up = stack.up()
            outputs = {name: {"value": out.value, "secret": out.secret} for name, out in up.outputs.items()}
            return {"changes": up.summary.resource_changes, "outputs": outputs}
        case "destroy":
            return {"changes": stack.destroy().summary.resource_changes}
        case "set":
            stack.set_config(args[0], auto.ConfigValue(args[1]))
            return {}
        case _:
            return {"error": f"unknown command {command}"}


def main() -> None:
    options = auto.LocalWorkspaceOptions(
        work_dir=os.getcwd(),
        pulumi_command=auto.PulumiCommand(os.environ["PULUMI_ROOT"]),
    )
    stack = auto.create_or_select_stack("dev", "test", program, opts=options)
    for line in sys.stdin:
        try:
            outcome = run(stack, *line.split())
        except auto.CommandError as err:
            outcome = {"error": str(err)}
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
