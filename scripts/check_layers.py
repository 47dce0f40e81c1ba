#!/usr/bin/env python3
"""Checks that dependencies point down only, and that no tracked file names a place on one machine.

Reads the #include lines of src/ and include/. A file may include its own layer's headers and those
of the layers below it; where two layers stand side by side, only what SIDEWAYS lists is allowed.
Public headers include nothing but the standard library and other public headers.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# From the bottom up; layers on one line stand side by side.
ORDER = [
    ["message", "log"],
    ["codec", "settle", "time"],
    ["dispatch"],
    ["wiring"],
    ["transport"],
    ["testing"],
    ["scenario"],
]
RANK = {layer: rank for rank, layers in enumerate(ORDER) for layer in layers}
SIDEWAYS = {("message", "log"), ("log", "message"), ("settle", "time")}

# Public headers that belong to an upper layer, by the beginning of their name.
PUBLIC = {
    "memory": "transport", "rabbitmq": "transport", "amqp1": "transport", "mqtt": "transport",
    "pulsar": "transport", "test": "testing",
}

THIRD_PARTY = re.compile(
    r"(asio|boost|openssl|spdlog|fmt|simdjson|rapidjson|cbor|msgpack|CLI|google|sqlite3|prometheus"
    r"|rabbitmq-c|amqp|proton|doctest|benchmark|valgrind)(/|\.h|\.hpp|$)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PLACES = re.compile(r"(?<![\w.~/-])/(?:home|Users|work|root)/[\w.]")

# What the one header for users who live on Asio may include.
ALLOWED = {"include/waybill/asio.hpp": "asio"}


def public_layer(name):
    """The layer of the public header waybill/<name>, or None when any layer may include it."""
    first = name.split("/")[0].removesuffix(".hpp").removesuffix(".h")
    return next((layer for start, layer in PUBLIC.items() if first.startswith(start)), None)


def transport_of(parts):
    """The transport of a path below src/; its server in memory, for tests, counts as one more."""
    return parts[1] + "_testing" if parts[2:3] == ("server",) else parts[1]


def transport_of_header(name):
    """The transport of a public header's file name; its server in memory counts as one more."""
    stem = name.split(".")[0]
    if stem.endswith("_testing"):
        return stem
    return next((known for known in PUBLIC if stem.startswith(known)), stem)


def layer_of(path):
    """The layer of a file, with the transport's name where it is one."""
    parts = path.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1], transport_of(parts[1:]) if parts[1] == "transport" else ""
    if parts[:2] == ("include", "waybill"):
        layer = public_layer("/".join(parts[2:]))
        return layer, transport_of_header(parts[2]) if layer == "transport" else ""
    return None, ""


def check_include(path, quoted, name):
    """The sentence about a forbidden include, or None."""
    layer, transport = layer_of(path)
    is_public = path.parts[0] == "include"
    if is_public:
        if THIRD_PARTY.match(name) and not name.startswith(ALLOWED.get(str(path), "\0")):
            return (f"a public header must not include <{name}>: users would need that library's "
                    f"headers. Keep it in a .cpp file.")
        if quoted:
            return (f'a public header must not include "{name}": headers of src/ are not '
                    f"installed. Include public headers as <waybill/...>.")
    if name.startswith("waybill/"):
        target, target_transport = public_layer(name[len("waybill/"):]), ""
        if target == "transport":
            target_transport = transport_of_header(name[len("waybill/"):].split("/")[0])
    elif quoted:
        parts = name.split("/")
        target = parts[0] if len(parts) > 1 and parts[0] in RANK else None
        target_transport = transport_of(tuple(parts)) if target == "transport" else ""
        if name.startswith("../") or name.startswith("./"):
            return f'"{name}" is relative: write the path from src/, as in "settle/plan.hpp".'
        if len(parts) > 1 and target is None and not (ROOT / path.parent / name).exists():
            if not (ROOT / "src" / name).exists():
                return f'"{name}" is in no folder of src/.'
    else:
        return None
    if target is None or (layer is None and not is_public):
        return None
    if layer is None:
        return (f"{name} belongs to {target}, which stands on the public headers every layer "
                f"shares; they must not stand on it.")
    if target == layer:
        knows_its_own = transport in (target_transport, target_transport + "_testing")
        if layer == "transport" and not knows_its_own:
            return (f"the transport {transport} must not know the transport {target_transport}: "
                    f"a service links only what it uses.")
        return None
    if RANK[target] < RANK[layer] or (layer, target) in SIDEWAYS:
        return None
    relation = "beside" if RANK[target] == RANK[layer] else "above"
    return f"{layer} must not include {name}, because {target} stands {relation} it."


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        # A file that is not yet added counts as well, once it is in one of the folders.
        new = subprocess.run(["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, check=False)
        names = (listed.stdout + new.stdout).decode().split("\0")
        return [pathlib.Path(name) for name in names if name and (ROOT / name).is_file()]
    # Not a git tree, or one that git does not trust: whatever lies there, but for what is built.
    names = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return [name for name in names
            if not re.match(r"(build(-\w+)?|\.git|\.cache|compile_commands\.json)(/|$)", str(name))]


def main():
    problems = []
    includes = 0
    for path in sorted(tracked()):
        try:
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        in_layers = path.parts[0] in ("src", "include") and path.suffix in (".hpp", ".h", ".cpp")
        if in_layers and path.parts[0] == "src" and len(path.parts) > 2 and path.parts[1] not in RANK:
            problems.append(f"{path}: src/{path.parts[1]} is not a layer that scripts/"
                            f"check_layers.py knows. Add it to ORDER.")
            in_layers = False
        for number, line in enumerate(lines, 1):
            if PLACES.search(line):
                problems.append(f"{path}:{number}: names a place on one machine "
                                f"({PLACES.search(line)[0]}...). Write it relative to the project.")
            match = INCLUDE.match(line) if in_layers else None
            if match:
                includes += 1
                problem = check_include(path, match[1] == '"', match[2])
                if problem:
                    problems.append(f"{path}:{number}: {problem}")
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} {'line is' if len(problems) == 1 else 'lines are'} against the layers.")
        return 1
    print(f"All {includes} includes point down.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
