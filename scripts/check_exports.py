#!/usr/bin/env python3
"""Checks that shared libraries export what WAYBILL_API and WAYBILL_INNER mark, and nothing else.

check_exports.py [--compiler CXX] LIBRARY...: shared libraries as they are; of a static one, what a
shared one of the same objects would export.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXPORTS = ROOT / "cmake/waybill-exports.map"

MARK = r"\bWAYBILL_(?:API|INNER)\b"
MARKED_CLASS = re.compile(rf"\b(?:class|struct)\s+{MARK}\s+(\w+)")
MARKED_FUNCTION = re.compile(rf"(?<!class )(?<!struct ){MARK}[^;{{(]*?(operator\W{{1,3}}|\b\w+)\s*\(")


def marked():
    """The names of the marked classes, and of the marked functions."""
    classes, functions = set(), set()
    for folder in ("include", "src"):
        for path in (ROOT / folder).rglob("*.hpp"):
            text = path.read_text(encoding="utf-8")
            classes.update(MARKED_CLASS.findall(text))
            functions.update(MARKED_FUNCTION.findall(text))
    return classes, functions


def as_shared(compiler, archive, folder):
    shared = pathlib.Path(folder) / (archive.stem + ".so")
    subprocess.run([compiler, "-shared", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive",
                    f"-Wl,--version-script={EXPORTS}", "-o", shared], check=True)
    return shared


def exported(shared):
    said = subprocess.run(["nm", "-DC", "--defined-only", shared], check=True, capture_output=True,
                          text=True).stdout
    return sorted({line.split(maxsplit=2)[2] for line in said.splitlines()})


def is_marked(symbol, classes, functions):
    name = re.sub(r"^(typeinfo|typeinfo name|vtable) for ", "", symbol)
    name = re.match(r"(operator\W{1,3}(?=\()|[^(<\[])*", name)[0]
    *around, last = name.split("::")
    return last in functions or bool(classes.intersection([*around, last]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="g++-12")
    parser.add_argument("libraries", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    classes, functions = marked()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for library in arguments.libraries:
            is_archive = library.suffix == ".a"
            symbols = exported(as_shared(arguments.compiler, library, folder) if is_archive else library)
            others = [each for each in symbols if not is_marked(each, classes, functions)]
            for symbol in others:
                print(f"{library.name} exports what is not marked: {symbol}")
            if not symbols:
                print(f"{library.name} exports nothing at all.")
            wrong += len(others) + (not symbols)
            print(f"{library.name}: {len(symbols) - len(others)} marked symbols are exported.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
