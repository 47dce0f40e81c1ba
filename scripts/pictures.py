#!/usr/bin/env python3
"""Draws docs/pictures/*.svg from what the stories of tests/docs/pictures really did.

pictures.py            draws them anew
pictures.py --check    exit code 1 and a sentence when one would differ, is missing or is left over

build/bin/retry_stories runs them on the paused clock and prints a line an event
(tests/docs/pictures/story.hpp says how); time goes down, a column is an address or a subscription.
"""
import html
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
STORIES = ROOT / "build" / "bin" / "retry_stories"

MARGIN, COLUMN, LINE = 96, 268, 15
INK, FAINT, SENT, DEAD = "#24292f", "#8c959f", "#0969da", "#a40e26"
ANSWERS = {"ack": "#1a7f37", "retry": "#9a6700", "drop": "#57606a"}
AND_MORE = "and more"  # of the headers
STYLE = f"""text{{font:12px 'DejaVu Sans',Verdana,sans-serif;fill:{INK}}}
.title{{font-size:14px;font-weight:bold}}.lane{{font-weight:bold;text-anchor:middle}}.time{{fill:{FAINT};text-anchor:end}}
.mid{{text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:4px}}
.mono{{font:11px 'DejaVu Sans Mono',Menlo,monospace}}.light{{fill:#fff;stroke:none;font-weight:bold}}"""


def seconds(time):
    """The library writes a time in the largest unit that leaves no rest: 1m, then 61s."""
    count, unit = re.fullmatch(r"(\d+)(\w+)", time).groups()
    return int(count) * {"h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


class Picture:
    """One sequence diagram, written from the top down."""

    def __init__(self, title):
        self.title = title
        self.lanes, self.parts, self.y, self.time = [], [], 84, None

    def x(self, lane):
        return MARGIN + 66 + self.lanes.index(lane) * COLUMN

    @property
    def width(self):
        return MARGIN + 150 + (len(self.lanes) - 1) * COLUMN

    def text(self, x, y, words, kind="", colour=None):
        fill = f' style="fill:{colour}"' if colour else ""
        self.parts.append(f'<text x="{x}" y="{y}" class="{kind}"{fill}>{html.escape(words, quote=False)}</text>')

    def at(self, time):
        """Notes the time when it has moved on; a gap shows that some has passed."""
        if time == self.time:
            return
        if self.time is not None:
            self.y += 26
        self.time = time
        self.text(MARGIN - 22, self.y + 4, f"{seconds(time):g}s", "time")

    def arrow(self, start, end, words, lines=(), colour=INK, dashed=False):
        """From column to column, the words above it and the lines of headers below."""
        left, right = sorted((start, end))
        self.y += 16
        self.text((left + right) / 2, self.y - 5, words, "mid", colour)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        head = 7 if end > start else -7
        self.parts.append(f'<path d="M{start + head} {self.y}H{end - head}" stroke="{colour}"{dash} fill="none"/>')
        self.parts.append(f'<path d="M{end - head / 7} {self.y}l{-head * 1.3:g} -4v8z" fill="{colour}"/>')
        for line in lines:
            self.y += LINE
            self.text((left + right) / 2, self.y, line, "mono mid", colour)
        self.y += 18

    def pill(self, lane, words, colour):
        width = 7.6 * len(words) + 20
        self.parts.append(f'<rect x="{self.x(lane) - width / 2:g}" y="{self.y - 7}" width="{width:g}" height="22" '
                          f'rx="11" fill="{colour}"/>')
        self.text(self.x(lane), self.y + 8, words, "mid light")
        self.y += 30

    def box(self, lane, lines, colour):
        """A message with its headers, on a column."""
        width = max(map(len, lines)) * 6.7 + 18
        x = min(self.x(lane) - width / 2, self.width - width - 4)
        height = LINE * len(lines) + 10
        self.parts.append(f'<rect x="{x:g}" y="{self.y - 9}" width="{width:g}" height="{height}" rx="4" '
                          f'fill="#fff" stroke="{colour}"/>')
        for number, line in enumerate(lines):
            self.text(f"{x + 9:g}", self.y + 6 + number * LINE, line, "mono")
        self.y += height + 10

    def kill(self, words):
        self.y += 6
        self.parts.append(f'<rect x="{MARGIN}" y="{self.y - 11}" width="{self.width - MARGIN - 8}" height="24" fill="{DEAD}"/>')
        self.text((MARGIN + self.width - 8) / 2, self.y + 5, words, "mid light")
        self.y += 34

    def svg(self):
        height = self.y + 14
        columns = []
        for lane in self.lanes:
            x = self.x(lane)
            columns.append(f'<path d="M{x} 64V{height - 10}" stroke="#d0d7de" stroke-width="2"/>')
            width = 7.7 * len(lane) + 24
            columns.append(f'<rect x="{x - width / 2:g}" y="38" width="{width:g}" height="26" rx="4" fill="#eaeef2"/>')
            columns.append(f'<text x="{x}" y="55" class="lane">{html.escape(lane)}</text>')
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
            f'height="{height}" role="img">', f"<title>{html.escape(self.title)}</title>", f"<style>{STYLE}</style>",
            '<rect width="100%" height="100%" fill="#fff"/>',
            f'<text x="16" y="22" class="title">{html.escape(self.title, quote=False)}</text>',
            *columns, *self.parts, "</svg>", ""])


class Teller:
    """Puts the events of one story into its picture."""

    def __init__(self, picture):
        self.draw = picture
        self.reader = None    # the subscription whose delivery is under way
        self.address = {}     # where a subscription's delivery was sent
        self.answer = {}      # what its handler answered
        self.letters = 0      # how many dead letters were drawn
        self.died = {}        # when the latest dead letter was published to an address
        self.waiting = set()  # the copies that wait in the process, by their waybill-copy
        self.killed = False   # since the delivery that is under way

    def act(self, time, words):
        self.draw.at(time)
        said, payload, *with_headers = words.split(" | ")
        if found := re.fullmatch(r"publish to (\S+)", said):
            x = self.draw.x(found[1])
            self.draw.y += 16
            self.draw.text(x, self.draw.y - 5, f"{payload} is published", "mid")
            self.draw.y += 18
        elif found := re.fullmatch(r"move from (\S+) to (\S+)", said):
            self.draw.y += 10
            count = [line for line in with_headers if line.startswith("waybill-retry-count")]
            self.draw.arrow(self.draw.x(found[1]), self.draw.x(found[2]), "moved back by hand, headers and all",
                            [*count, AND_MORE], DEAD, dashed=True)

    def event(self, time, words):
        said, *about = words.split(" | ")
        delivered = re.fullmatch(r"(\S+): delivery (\d+) of a message for (\S+)", said)
        if delivered:
            self.waited(time, delivered[3])
        self.draw.at(time)
        if found := delivered:
            self.delivery(found[1], found[2], found[3], about)
        elif found := re.fullmatch(r"(\S+): delivery (\d+) ends on receipt, the handler does not run", said):
            self.draw.arrow(self.draw.x(self.address[found[1]]), self.draw.x(found[1]), f"delivery {found[2]}")
            self.draw.pill(found[1], "the handler does not run", "#57606a")
            self.killed = False
        elif found := re.fullmatch(r"published to (\S+) \((\w+)\)", said):
            self.published(found[1], found[2], about)
        elif found := re.fullmatch(r"(\S+): delivery \d+ (\w+)", said):
            self.settled(found[1], found[2])
        elif found := re.fullmatch(r"(\S+): ((ack|retry|drop)(?:_after .+)?)", said):
            self.answer[found[1]] = found[2]
            if not self.killed:
                self.draw.pill(found[1], found[2], ANSWERS[found[3]])
        else:
            raise ValueError(f"no picture for: {words}")

    def waited(self, time, address):
        """Says of a dead letter that is delivered now how long it was held back."""
        wait = seconds(time) - seconds(self.died.pop(address, time))
        if wait:
            self.draw.text(self.draw.x(address), self.draw.y + 6, f"waits here {wait:g}s", "mid", DEAD)
            self.draw.y += 24

    def delivery(self, reader, number, address, about):
        self.reader, self.address[reader], self.killed = reader, address, False
        payload, *with_headers = about
        shown = [line for line in with_headers if re.match("waybill-(retry-count|retry-source|copy)", line)]
        is_copy = any(line.startswith("waybill-retry-source") for line in shown)
        if waited := self.waiting.intersection(shown):
            self.waiting -= waited
            self.draw.arrow(self.draw.x(reader), self.draw.x(address), "the copy is published and confirmed", (), SENT)
        self.draw.arrow(self.draw.x(address), self.draw.x(reader), f"delivery {number}: {payload}", shown if is_copy else ())

    def published(self, address, why, about):
        start, end = self.draw.x(self.reader), self.draw.x(address)
        wait = self.wait_of(self.reader)
        if why == "retry" and wait:  # no story has a broker that delays copies
            self.draw.box(self.reader, [f"a copy waits here {wait}", *about[1:]], SENT)
            self.waiting.update(line for line in about if line.startswith("waybill-copy"))
            return
        if why == "retry":
            self.draw.arrow(start, end, "a copy is published and confirmed", about[1:], SENT)
            return
        lines = [re.sub("(?<=^waybill-dead-host: ).*", "host", line) for line in about[1:]]
        if self.letters > 0:  # the rest is as in the first one
            lines = [line for line in lines if re.match(r"waybill-(retry-count|dead-(reason|count|at|first-at))", line)]
            lines.append(AND_MORE)
        self.draw.arrow(start, end, "published and confirmed", (), DEAD)
        self.draw.box(address, lines, DEAD)
        self.letters += 1
        self.died[address] = self.draw.time

    def wait_of(self, reader):
        """How long its handler asked to wait, "" when it did not."""
        found = re.fullmatch(r"retry_after (.+)", self.answer[reader])
        return found[1] if found else ""

    def settled(self, reader, how):
        start, end = self.draw.x(reader), self.draw.x(self.address[reader])
        if how == "requeued":
            wait = self.wait_of(reader)
            self.draw.arrow(start, end, "given back; the broker counts it" + (f", waits {wait}" if wait else ""), dashed=True)
        elif how == "stale":
            self.draw.text(start, self.draw.y + 6, "never settled", "mid", DEAD)
            self.draw.y += 24
        else:
            self.draw.arrow(start, end, "settled", colour=FAINT)

    def kill(self, words):
        self.killed = True
        self.draw.kill(words)


def drawn(stories):
    """The pictures of all stories, by file name."""
    found, picture = {}, None
    for line in stories.splitlines():
        if line.startswith("== "):
            name, title = line[3:].split(": ", 1)
            picture = found[f"{name}.svg"] = Picture(title)
            tell = Teller(picture)
        elif line.startswith("lanes: "):
            picture.lanes = line[7:].split(", ")
        elif line.startswith("> "):
            tell.act(*line[2:].split("  ", 1))
        elif line.startswith("! "):
            tell.kill(line[2:])
        else:
            tell.event(*line.strip().split("  ", 1))
    return {name: picture.svg() for name, picture in found.items()}


def main():
    ran = subprocess.run([STORIES], cwd=ROOT, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    wanted = drawn(ran.stdout)
    now = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    if "--check" not in sys.argv[1:]:
        PICTURES.mkdir(exist_ok=True)
        for name, svg in wanted.items():
            (PICTURES / name).write_text(svg, encoding="utf-8")
        for name in now.keys() - wanted.keys():
            (PICTURES / name).unlink()
        return 0
    stale = sorted(name for name in wanted.keys() | now.keys() if wanted.get(name) != now.get(name))
    if stale:
        print(f"{' and '.join(stale)} in docs/pictures show what does not happen any more: run scripts/pictures.py.",
              file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
