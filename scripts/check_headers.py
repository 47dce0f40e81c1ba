#!/usr/bin/env python3
"""Checks that the public headers stand on the standard library alone.

check_headers.py CXX...: with each compiler, what the public headers reach in the system's include
path is no more than the standard library reaches by itself, so that no other library need be
installed; and no header names one's types, not even by a declaration of its own. That each header
compiles alone is the target `public_headers`.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include"

# What the libraries that Waybill is built on call themselves. `cbor` alone is a codec of ours.
FOREIGN = re.compile(
    r"\b(simdjson|rapidjson|fmt|spdlog|CLI|asio|boost|google|sqlite3\w*|SSL\w*|prometheus"
    r"|amqp_\w+|pn_\w+|msgpack_\w+|msgpack(?=::)|cbor_\w+_t|cbor_(?:item|load|stream|encode|builder|callbacks)\w*)\b")
UNCODED = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
ALLOWED = {"include/waybill/asio.hpp"}  # for users who live on Asio


def reached(compiler, text):
    """The files that a text includes."""
    done = subprocess.run([compiler, "-std=c++23", f"-I{INCLUDE}", "-M", "-x", "c++", "-"],
                          input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{compiler} cannot read the headers:\n{done.stderr}")
    files = done.stdout.replace("\\\n", " ").split(":", 1)[1].split()
    return {os.path.realpath(file) for file in files}


def main():
    headers = [path.relative_to(INCLUDE) for path in sorted(INCLUDE.rglob("*.h*"))
               if str(path.relative_to(ROOT)) not in ALLOWED]
    wrong = []
    for header in headers:
        code = UNCODED.sub(" ", (INCLUDE / header).read_text(encoding="utf-8"))
        wrong += [f"include/{header} names {name}, which belongs to another library."
                  for name in sorted(set(FOREIGN.findall(code)))]
        if "WAYBILL_INNER" in code and header.name != "export.h":
            wrong.append(f"include/{header} exports what is inner.")

    everything = "".join(f"#include <{header}>\n" for header in headers)
    for compiler in sys.argv[1:]:
        standard = reached(compiler, "#include <bits/stdc++.h>\n")
        beyond = {file for file in reached(compiler, everything) - standard
                  if not file.startswith(f"{INCLUDE}{os.sep}")}
        wrong += [f"with {compiler} the public headers need {file}." for file in sorted(beyond)]
    for line in wrong:
        print(line)
    if not wrong:
        print(f"{len(headers)} public headers stand on the standard library alone.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
