#!/usr/bin/env python3
"""Checks that a program does not compile, and that the compiler says why.

run.py --compiler CXX [--compiler CXX]... FILE...

The first line of each file is `// expect: sentence`; further `// expect:` lines right below it name
more sentences. Each compiler must refuse the file and print every one of them, and one that begins
with `waybill:` in its first error: nobody reads on to the tenth. A file may say
`// also: -DNAME` for an option of its own, and `// clang: sentence` where clang has only words of
its own: then clang must print that instead.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def flat(text):
    """On one line, and `T &` as `T&`."""
    return re.sub(r" ([&*])", r"\1", " ".join(text.split()))


def check(compiler, path):
    """None when the file is refused as it should be, else what is wrong."""
    said_first = {"expect": [], "clang": [], "also": []}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"// (expect|clang|also): (.*)$", line)
        if not match and line.startswith("//"):
            return f"`{line}` stands among its sentences without saying what it is."
        if not match:
            break
        said_first[match[1]].append(match[2].strip())
    if not said_first["expect"]:
        return "its first line is not `// expect: sentence`."
    is_clang = "clang" in pathlib.Path(compiler).name
    expected = is_clang and said_first["clang"] or said_first["expect"]
    command = [compiler, "-std=c++23", "-fsyntax-only", "-fdiagnostics-color=never",
               "-fmessage-length=0", f"-I{ROOT / 'include'}", *said_first["also"], str(path)]
    # In the C locale, so that quotation marks are plain.
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    said = done.stdout + done.stderr
    if done.returncode == 0:
        return "it compiles, and should not."
    for sentence in expected:
        if flat(sentence) not in flat(said):
            return f"{compiler} does not say: {sentence}\nIt says:\n{said[:6000]}"
    ours = [flat(sentence) for sentence in expected if sentence.startswith("waybill:")]
    first = flat(next((line for line in said.splitlines() if "error: " in line), ""))
    if ours and not any(sentence in first for sentence in ours):
        return f"{compiler} says something else first:\n{said[:6000]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", action="append", required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = 0
    for path in arguments.files:
        for compiler in arguments.compiler:
            problem = check(compiler, path)
            wrong += problem is not None
            by = pathlib.Path(compiler).name
            print(f"{path.name}: {problem or f'refused by {by} with the right words.'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
