"""Compares the trace of a run in memory with that of the same run on a real server."""
import collections
import json
import re

ANY_VALUE = {"waybill-id", "waybill-copy", "waybill-due", "waybill-expires-at", "waybill-dead-at",
             "waybill-dead-first-at", "waybill-dead-host"}

UNCOUNTED = re.compile(r'\["x-(delivery|acquired)-count", \d+\](, )?')


def without_hash(name):
    """A waiting queue's name without the hash of its vhost and origin."""
    return name.rsplit(".", 1)[0] if name.startswith("waybill.wait.v1.") else name


def without_times(value):
    if isinstance(value, str):
        return without_hash(value)
    if isinstance(value, dict):
        return {name: None if name == "time" else without_times(each) for name, each in value.items()}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def header(pair):
    name, value = pair
    if name in ANY_VALUE:
        return [name, None]
    return [name, without_times(value) if name.startswith(("x-death", "x-first-death", "x-last-death")) else value]


def what_counts(line):
    """The line without what may differ."""
    kept = {name: value for name, value in line.items() if name not in ("at_ms", "error")}
    if "headers" in kept:
        # A server gives headers back in an order of its own.
        kept["headers"] = sorted(map(header, kept["headers"]), key=json.dumps)
    if "via" in kept:
        kept["via"] = without_hash(kept["via"])
    return kept


class Story:
    """What happened to one message at one place, or at one place that names no message."""

    def __init__(self):
        self.told = []  # of (text, at_ms)
        self.is_ordered = True

    def add(self, line):
        self.told.append((json.dumps(what_counts(line), sort_keys=True), line["at_ms"]))


def stories(lines):
    """By subscription or address, and message where a line names one."""
    told = collections.defaultdict(Story)
    sent = collections.Counter(payload_of(line) for line in lines if line.get("why") == "step")
    for line in lines:
        event = line["event"]
        if event in ("delivered", "exceeded"):
            name = f"{line['subscription']}, {payload_of(line)}"
        elif event == "published" and not line["confirmed"] and line["why"] != "step":
            # How often something is tried while it cannot be published is a matter of milliseconds.
            told[f"refused at {line['to']}"].told = [("at least once", line["at_ms"])]
            continue
        elif event == "published":
            name = f"published to {line['to']}, {payload_of(line)}"
        elif event in ("outcome", "settled", "started"):
            name = f"{event} of {line['subscription']}"
        elif event in ("ended", "refused"):
            name = event
        else:
            continue
        told[name].add(line)
        # Of several messages together: in no order.
        told[name].is_ordered = event not in ("outcome", "settled", "refused") and sent[payload_of(line)] <= 1
    return told


def payload_of(line):
    return repr(line.get("payload", line.get("payload_base64")))


def goes_on(lines):
    """Messages still wait or are in hand at its end: how far it came is a matter of milliseconds."""
    return bool(lines[-1].get("waiting") or lines[-1].get("unsettled"))


def open_from(lines):
    """From when on what happens may be missing on the other side."""
    end = lines[-1]["at_ms"]
    return end - max(500, end / 4)


def first_unlike(here, there, open_from_then):
    """A pair of texts, or nothing. What happened from then on may be missing on the other side."""
    if here.is_ordered and there.is_ordered:
        for one, other in zip(here.told, there.told):
            if one[0] != other[0]:
                return one[0], other[0]
        common = min(len(here.told), len(there.told))
        only_here, only_there = here.told[common:], there.told[common:]
    else:
        only_here, only_there = without(here.told, there.told), without(there.told, here.told)
    only_here = [text for text, at in only_here if at < open_from_then]
    only_there = [text for text, at in only_there if at < open_from_then]
    if only_here or only_there:
        return next(iter(only_here), None), next(iter(only_there), None)
    return None


def without(told, others):
    """What of it the others do not have; the last ones of those that are equal."""
    left = collections.Counter(text for text, _ in others)
    more = []
    for text, at in told:
        left[text] -= 1
        if left[text] < 0:
            more.append((text, at))
    return more


def killed_in_a_move(lines):
    """A process ended while a delivery of it was answered and not yet settled."""
    answered = settled = 0
    for line in lines:
        if line["event"] == "started" and answered > settled:
            return True
        answered += line["event"] == "outcome"
        settled += line["event"] == "settled"
    return False


def first_not_repeated(here, there):
    """As first_unlike, where messages may have come twice: live what happened in memory did so too, and
    perhaps more than once, and nothing else did. The server's own counts are not compared."""
    def texts(story):
        return collections.Counter(UNCOUNTED.sub("", text) for text, _ in story.told)
    one, other = texts(here), texts(there)
    missing, more = next(iter(one - other), None), next((text for text in other if text not in one), None)
    return (missing, more) if missing or more else None


def difference(memory, live):
    """In words; nothing when there is none."""
    here, there = stories(memory), stories(live)
    open_from_then = float("inf")
    # A handler that kills its process may do so before its lane has settled what the message was a copy
    # of: then that comes again too. In memory a confirm never takes longer than the copy.
    is_doubled = killed_in_a_move(live) and not killed_in_a_move(memory)
    if goes_on(memory) or goes_on(live):
        # The run that ended later went on longer.
        open_from_then = min(open_from(memory), open_from(live))
    if is_doubled or open_from_then != float("inf"):
        del here["ended"], there["ended"]
    for name in sorted(here.keys() | there.keys()):
        unlike = (first_not_repeated(here[name], there[name]) if is_doubled else
                  first_unlike(here[name], there[name], open_from_then))
        if unlike:
            return f"{name}:\n    in memory {unlike[0]}\n    live      {unlike[1]}"
    return None
