#!/usr/bin/env python3
"""Checks every link of every Markdown file.

A link to a file or a folder leads to one that is here, and its anchor to a heading of that page. A
link to a test file is called by the name of a test case in it. Links to the network are checked for
their form only. `<!-- ... -->` and code are passed over. Exit code 1 and a sentence for each link
that leads nowhere.
"""
import functools
import pathlib
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"""!?\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\]]*\])*)\]   # [text, which may hold an image]
                      \((?P<target><[^>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)
                      (?:\s+"[^"]*")?\)""", re.X)
REFERENCE = re.compile(r"^ {0,3}\[(?P<text>[^\]]+)\]:\s+(?P<target>\S+)", re.M)


def pages():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in sorted(filter(None, listed.split("\0"))) if (ROOT / name).exists()]


def blank(match):
    """Keeps the lines, so that a link's line number stays right."""
    return re.sub(r"[^\n]", " ", match[0])


@functools.cache
def without_code(page):
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^( *)(```+|~~~+)[^\n]*\n.*?(?:^ *\2`* *$|\Z)", blank, text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    return re.sub(r"^(?: {4}|\t)(?! *[-*\d]).*$", blank, text, flags=re.M)


def prose(page):
    return re.sub(r"(`+)(?!`)[^\n]*?[^`\n]\1(?!`)", blank, without_code(page))


@functools.cache
def anchors(page):
    """What GitHub makes of the headings, and the ids that stand there."""
    found, seen = set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", without_code(page))), {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", without_code(page), flags=re.M):
        words = re.sub(r"[*`]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        found.add(f"{slug}-{number}" if number else slug)
    return found


@functools.cache
def test_cases(source):
    text = source.read_text(encoding="utf-8")
    found = re.findall(r"TEST_CASE\w*\((?:\s*\w+,)?((?:\s*\"(?:[^\"\\]|\\.)*\")+)", text)
    return {"".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", each)).replace('\\"', '"') for each in found}


def problem(page, text, target):
    """Why the link leads nowhere; None when it leads somewhere."""
    target = target.strip("<>")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        parts = urlsplit(target)
        if parts.scheme == "mailto":
            return None if re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", parts.path) else "is no address"
        if parts.scheme not in ("http", "https"):
            return f"begins with {parts.scheme}:, want https:"
        return None if re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc) else "names no host"
    name, _, anchor = target.partition("#")
    there = (page.parent / unquote(name)).resolve() if name else page
    if name.startswith("/") or not there.is_relative_to(ROOT):
        return "leads out of the tree"
    if not there.exists():
        return "leads to a file that is not there"
    if anchor and there.suffix == ".md" and unquote(anchor) not in anchors(there):
        return f"leads to a heading that {there.relative_to(ROOT)} does not have"
    called = " ".join(text.split())
    if there.name.endswith("_test.cpp") and called not in test_cases(there):
        return f"is called \"{called}\", which is no test case of it"
    return None


def main():
    count, wrong = 0, 0
    for page in pages():
        text = prose(page)
        shown = without_code(page)
        for match in sorted([*LINK.finditer(text), *REFERENCE.finditer(text)], key=lambda each: each.start()):
            count += 1
            called = shown[match.start("text"):match.end("text")]
            why = problem(page, called, match["target"])
            if why:
                wrong += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{page.relative_to(ROOT)}:{line}: the link to {match['target']} {why}.", file=sys.stderr)
    if not wrong:
        print(f"All {count} links of {len(pages())} pages lead somewhere.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
