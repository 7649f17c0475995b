"""Mappings in YAML and JSON files; ``schema`` says what they hold."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chronodag.errors import KnowledgeError


def read_mapping(path: str | Path) -> Mapping[str, Any]:
    """Read a .yaml, .yml or .json file; a file without content is an empty mapping."""
    path = Path(path)
    read = _read_json if _is_json(path) else _read_yaml
    try:
        content = read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise KnowledgeError(f"cannot read knowledge from {str(path)!r}: {error}") from error
    return {} if content is None else content


def write_mapping(path: str | Path, mapping: Mapping[str, Any]) -> None:
    """Write a .yaml, .yml or .json file, replacing what stood there."""
    path = Path(path)
    if _is_json(path):
        text = json.dumps(mapping, indent=2, ensure_ascii=False) + "\n"
    else:
        import yaml

        # Unprintable characters such as U+0085 would be written raw and read back as blanks.
        readable = json.dumps(mapping, ensure_ascii=False).isprintable()
        text = yaml.safe_dump(dict(mapping), sort_keys=False, allow_unicode=readable, width=100)
    path.write_text(text, encoding="utf-8", newline="\n")


def _is_json(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in (".json", ".yaml", ".yml"):
        raise KnowledgeError(
            f"{str(path)!r} ends in {suffix or 'no suffix'!r}; knowledge files end in "
            ".yaml, .yml or .json."
        )
    return suffix == ".json"


def _read_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_distinct) if text.strip() else None


def _read_yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """The safe loader, which by itself would let a repeated key silently win."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            _distinct([(key.value, None) for key, _ in node.value])
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not well-formed YAML: {error}") from error


def _distinct(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise KnowledgeError(f"the key {key!r} occurs twice; put all its entries under one.")
    return dict(pairs)
