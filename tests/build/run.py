#!/usr/bin/env python3
"""Checks that a program does not compile, and that the compiler says why.

run.py --compiler CXX FILE...

The first line of each file is `// expect: sentence`; further `// expect:` lines right below it name
more sentences. The compiler must refuse the file and print every one of them. A file may say
`// also: -DNAME` for an option of its own.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(compiler, path):
    """None when the file is refused as it should be, else what is wrong."""
    expected, options = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"// (expect|also): (.*)$", line)
        if not match:
            break
        (expected if match[1] == "expect" else options).append(match[2].strip())
    if not expected:
        return "its first line is not `// expect: sentence`."
    command = [compiler, "-std=c++23", "-fsyntax-only", "-fdiagnostics-color=never",
               "-fmessage-length=0", f"-I{ROOT / 'include'}", *options, str(path)]
    # In the C locale, so that quotation marks are plain.
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    said = done.stdout + done.stderr
    if done.returncode == 0:
        return "it compiles, and should not."
    flat = " ".join(said.split())
    for sentence in expected:
        if " ".join(sentence.split()) not in flat:
            return f"the compiler does not say: {sentence}\nIt says:\n{said[:6000]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="g++-12")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = 0
    for path in arguments.files:
        problem = check(arguments.compiler, path)
        if problem:
            wrong += 1
            print(f"{path.name}: {problem}")
        else:
            print(f"{path.name}: refused with the right words.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
