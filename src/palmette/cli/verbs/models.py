"""`palmette models`: the trained models that come with Palmette."""

from __future__ import annotations

from typing import Any

from palmette.cli.commands import command as make_command
from palmette.cli.options import AsJson
from palmette.cli.report import human_size, print_json, printable
from palmette.models import shipped_models


def models(json: AsJson = False) -> None:
    """List the models that come with Palmette.

    Commands that take a model also accept these names.
    """
    from palmette.formats.model import ModelFile

    found: dict[str, Any] = {}
    for name, path in shipped_models().items():
        file = ModelFile.load(path)
        training = file.options.get("training")
        about = training if isinstance(training, dict) else {}
        facts = {key: about[key] for key in ("description", "licence") if isinstance(about.get(key), str)}
        found[name] = {"kind": file.kind, "bytes": path.stat().st_size, **facts}
    if json:
        print_json({"models": found})
        return
    if not found:
        print("this version comes without models; train your own with palmette train")
    for name, facts in found.items():
        more = "".join(f"; {printable(facts[key])}" for key in ("description", "licence") if key in facts)
        print(f"{name:<8} {facts['kind']} ({human_size(facts['bytes'])}){more}")


command = make_command(models, ["palmette models", "palmette predict en input.txt"])
