#!/usr/bin/env python3
"""Puts files and output into README.md, or checks that what stands there is still so.

readme.py            rewrites the marked parts
readme.py --check    exit code 1 and a sentence when a part differs

A part stands between `<!-- file: PATH -->` and `<!-- /file -->`, or between `<!-- output: demo -->` and
`<!-- /output -->`; the output is made by the built demo on the virtual clock.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
OUTPUTS = {"demo": ["build/bin/demo", "--input", "examples/payments/requests.jsonl", "--clock", "virtual"]}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp"}


def file_part(path):
    source = ROOT / path
    return f"```{LANGUAGES.get(source.suffix, '')}\n{source.read_text(encoding='utf-8').rstrip()}\n```"


def output_part(name):
    done = subprocess.run(OUTPUTS[name], cwd=ROOT, capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "COLUMNS": "100"})
    return f"```\n{shortened(done.stdout).rstrip()}\n```"


def shortened(text):
    """Leaves out the middle rows: the first ones and the longest stories tell it."""
    lines = [line.rstrip() for line in text.splitlines()]
    rows = [at for at, line in enumerate(lines) if line.startswith("#")]
    left_out = rows[5:-8]
    return "\n".join(f"... {len(left_out)} more ..." if at == left_out[0] else line
                     for at, line in enumerate(lines) if at not in left_out[1:])


def fresh(text):
    text = re.sub(r"(<!-- file: (\S+) -->\n).*?(<!-- /file -->)",
                  lambda m: f"{m[1]}{file_part(m[2])}\n{m[3]}", text, flags=re.S)
    return re.sub(r"(<!-- output: (\S+) -->\n).*?(<!-- /output -->)",
                  lambda m: f"{m[1]}{output_part(m[2])}\n{m[3]}", text, flags=re.S)


def main():
    now = README.read_text(encoding="utf-8")
    wanted = fresh(now)
    if now == wanted:
        return 0
    if "--check" in sys.argv[1:]:
        print("README.md shows files or output that have changed since: run scripts/readme.py.", file=sys.stderr)
        return 1
    README.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
