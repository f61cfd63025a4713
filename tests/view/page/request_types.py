"""The types of answers, from view/page/source/requests.ts: what is made up for the page's tests has the form that a server's answers have."""
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = (Path(__file__).parents[3] / "view/page/source/requests.ts").read_text(encoding="utf-8")
SIMPLE: dict[str, Any] = {"number": (int, float), "ProcessId": int, "string": str, "boolean": bool, "null": type(None), "unknown": object}
ARRAYS = {"f64", "f32", "u32", "u8"}


def members(text: str) -> dict[str, str]:
    return dict(re.findall(r"([\w?]+|\[name: `\w+\$\{number\}`\]): ((?:[^;`]|`[^`]*`)+);", text))


INTERFACES = {name: members(body) for name, body in re.findall(r"export interface (\w+) \{(.*?)\}\n", SCRIPT, re.S) if name != "Requests"}
ANSWERS: dict[str, str] = dict(re.findall(r"^  (\w+): \{ parameters: .*; answer: (.*) \};$", SCRIPT, re.M))


def alternatives(type: str) -> list[str]:
    """T | U, outside of parentheses and angle brackets."""
    parts, depth = [""], 0
    for c in type:
        depth += (c in "(<") - (c in ")>")
        if c == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def misfit(type: str, value: Any, name: str, arrays: Mapping[str, str] | None = None) -> str | None:
    """Why a value is not of this type, or None. `arrays`: of an answer, the types of the arrays that travel beside its JSON."""
    kinds = alternatives(type)
    if len(kinds) > 1:
        reasons = [misfit(kind, value, name, arrays) for kind in kinds]
        return None if None in reasons else "; ".join(filter(None, reasons))
    if type.endswith("[]"):
        entry = type[:-2].removeprefix("(").removesuffix(")")
        if not isinstance(value, list):
            return f"{name} is not a list"
        return next(filter(None, (misfit(entry, one, f"{name}[{i}]") for i, one in enumerate(value))), None)
    if type.startswith("Record<string, "):
        if not isinstance(value, dict):
            return f"{name} is not an object"
        return next(filter(None, (misfit(type[15:-1], one, f"{name}.{key}") for key, one in value.items())), None)
    if type in INTERFACES:
        return object_misfit(INTERFACES[type], value, name, arrays or {})
    if type in ("true", "false"):
        fits = value is (type == "true")
    elif type.startswith("'"):
        fits = value == type.strip("'")
    else:
        fits = isinstance(value, SIMPLE[type]) and not (isinstance(value, bool) and "number" in type)
    return None if fits else f"{name} is {str(value)[:60]}, not {type}"


def object_misfit(fields: Mapping[str, str], value: Any, name: str, arrays: Mapping[str, str]) -> str | None:
    if not isinstance(value, dict):
        return f"{name} is not an object"
    numbered = {match[1]: type for match, type in ((re.search(r"`(\w+)\$", field), type) for field, type in fields.items()) if match}
    known = {field.rstrip("?"): type for field, type in fields.items() if not field.startswith("[")}
    for array, type in arrays.items():
        expected = known.get(array) or numbered.get(array.rstrip("0123456789"))
        if expected != type:
            return f"{name} has the array {array} of {type}, not of {expected}"
    for member, one in value.items():
        if member not in known:
            return f"{name} has no {member}"
        if known[member] in ARRAYS:
            return f"{name}.{member} is not an array beside the JSON"
        if why := misfit(known[member], one, f"{name}.{member}"):
            return why
    missing = [field for field in fields if not field.endswith("?") and not field.startswith("[") and field not in value and field not in arrays]
    return f"{name} lacks {', '.join(missing)}" if missing else None


def check_answer(request: str, answer: Any, arrays: Mapping[str, tuple[str, Any]]) -> None:
    """`arrays`: {name: (type, values)}."""
    why = misfit(ANSWERS[request], answer, request, {name: type for name, (type, _) in arrays.items()})
    assert why is None, f"view/page/source/requests.ts has another answer of {request}: {why}"
