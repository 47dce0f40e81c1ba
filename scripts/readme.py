#!/usr/bin/env python3
"""Puts files, parts of files and output into README.md and docs/*.md, or checks that what stands
there is still so.

readme.py            rewrites the marked parts
readme.py --check    exit code 1 and a sentence when a part differs

A part stands between `<!-- file: PATH -->` and `<!-- /file -->`, between `<!-- part: PATH#NAME -->`
and `<!-- /part -->`, or between `<!-- output: demo -->` and `<!-- /output -->`. In its source a part
stands between lines `// [NAME]` and `// [/NAME]`. The output is made by the built demo on the
virtual clock, or, as in `<!-- output: simulate docs/scenarios/outage.json -->`, by the built command
`waybill`; in the place of `simulate` stands `explain`, or `refused` for a file that is not valid.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUTPUTS = {"demo": ["build/bin/demo", "--input", "examples/payments/requests.jsonl", "--clock", "virtual"]}
# What `waybill` is asked, beside the file, and the exit code that it must have.
COMMANDS = {"simulate": (["simulate", "--text"], 0), "refused": (["simulate", "--text"], 2), "explain": (["explain"], 0)}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".json": "json"}


class Mistake(Exception):
    """A mark that leads nowhere."""


def file_part(path):
    source = ROOT / path
    return fenced(source.read_text(encoding="utf-8"), source.suffix)


def named_part(place):
    path, _, name = place.partition("#")
    source = ROOT / path
    found = re.findall(rf"^ *// \[{re.escape(name)}\]\n(.*?)^ *// \[/{re.escape(name)}\]$",
                       source.read_text(encoding="utf-8"), flags=re.S | re.M)
    if len(found) != 1:
        raise Mistake(f"{path} has {len(found)} parts between // [{name}] and // [/{name}]: want 1.")
    return fenced(textwrap.dedent(found[0]), source.suffix)


def output_part(name):
    if name in OUTPUTS:
        return fenced(shortened(output_of(OUTPUTS[name], 0)), "")
    how, _, file = name.partition(" ")
    if how not in COMMANDS or not file:
        raise Mistake(f"there is no output \"{name}\": want {', '.join(OUTPUTS)}, or {', '.join(COMMANDS)} and a file.")
    options, code = COMMANDS[how]
    return fenced(output_of(["build/bin/waybill", *options, file], code), "")


def output_of(command, code):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "COLUMNS": "100"})
    if done.returncode != code:
        raise Mistake(f"{' '.join(command)} ended with {done.returncode}, not {code}. {done.stderr.strip()}")
    return done.stdout


def fenced(text, suffix):
    return f"```{LANGUAGES.get(suffix, '')}\n{text.rstrip()}\n```"


def shortened(text):
    """Leaves out the middle rows: the first ones and the longest stories tell it."""
    lines = [line.rstrip() for line in text.splitlines()]
    rows = [at for at, line in enumerate(lines) if line.startswith("#")]
    left_out = rows[5:-8]
    return "\n".join(f"... {len(left_out)} more ..." if at == left_out[0] else line
                     for at, line in enumerate(lines) if at not in left_out[1:])


def fresh(text):
    for kind, make in {"file": file_part, "part": named_part, "output": output_part}.items():
        text = re.sub(rf"(<!-- {kind}: ([^\n]+?) -->\n).*?(<!-- /{kind} -->)",
                      lambda m, make=make: f"{m[1]}{make(m[2])}\n{m[3]}", text, flags=re.S)
    return text


def main():
    stale = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        now = page.read_text(encoding="utf-8")
        try:
            wanted = fresh(now)
        except (Mistake, FileNotFoundError) as mistake:
            print(f"{page.relative_to(ROOT)}: {mistake}", file=sys.stderr)
            return 1
        if now != wanted:
            stale.append(str(page.relative_to(ROOT)))
            if "--check" not in sys.argv[1:]:
                page.write_text(wanted, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        print(f"{' and '.join(stale)} show what has changed since: run scripts/readme.py.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
