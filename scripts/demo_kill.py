#!/usr/bin/env python3
"""Kills a service with -9 while its retries wait on a real RabbitMQ, starts it again, and counts.

demo_kill.py [--seed N]        on the server that WAYBILL_RABBITMQ names (scripts/live.sh sets it), else on a
                               private RabbitMQ 3.10, started and stopped here
  --compare FILE               and exit code 1 unless what FILE shows of it has the same shape
  --update FILE                and writes it there

The exit code is 1 when a parcel was lost, when twins do not have the same id, or when something took too
long; 64 when N is no number. In FILE it stands between `<!-- shape: demo-kill -->` and
`<!-- /shape -->`; shapes differ only in numbers and names.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SERVICE = ROOT / "build/bin/kill_demo"
RABBITMQ = ROOT / "scripts/brokers/rabbitmq"
PARCELS = 20
WAIT = 2.0  # what the service asks for
LONGEST = 60  # seconds for anything
PLAIN = os.environ.get("NO_COLOR") or not sys.stdout.isatty()

shown = []


def paint(code, text):
    return text if PLAIN else f"\033[{code}m{text}\033[0m"


def show(text="", code=None):
    shown.append(text)
    print(paint(code, text) if code else text, flush=True)


class Trouble(Exception):
    """It cannot go on."""


def until(what, happens):
    end = time.monotonic() + LONGEST
    while not happens():
        if time.monotonic() > end:
            raise Trouble(f"{what} did not happen in {LONGEST} s.")
        time.sleep(0.01)


class Server:
    """A private RabbitMQ in a folder of its own."""

    def __init__(self, folder):
        self.env = {**os.environ, "WAYBILL_BROKERS_RUN": str(folder)}
        started = subprocess.run([RABBITMQ, "start", "demo-kill", "3.10"], env=self.env, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if started.returncode != 0:
            raise Trouble(f"RabbitMQ 3.10 does not start. {started.stdout}")
        said = subprocess.run([RABBITMQ, "env", "demo-kill"], env=self.env, text=True,
                              capture_output=True, check=True).stdout
        self.facts = dict(line.split("=", 1) for line in said.splitlines())

    def stop(self):
        subprocess.run([RABBITMQ, "stop", "demo-kill"], env=self.env, stdout=subprocess.DEVNULL)


class Courier:
    """The service with its journal."""

    def __init__(self, url, folder):
        self.journal = pathlib.Path(folder) / "journal"
        self.log = pathlib.Path(folder) / "log"
        self.env = {**os.environ, "COURIER_BROKER": url, "COURIER_JOURNAL": str(self.journal)}
        self.process = None

    def publish(self):
        done = subprocess.run([SERVICE, "publish"], env=self.env, timeout=LONGEST, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise Trouble(f"the parcels could not be published. {done.stderr}")

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([SERVICE, "run"], env=self.env, stdout=log, stderr=log)

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(LONGEST)

    def entries(self, what):
        """The parcels in the journal, as (number, name, waybill-id), as often as they stand there."""
        if not self.journal.exists():
            return []
        lines = self.journal.read_text(encoding="utf-8").splitlines()
        return [tuple(line.split(" ")[1:]) for line in lines if line.startswith(what + " ")]

    def count(self, what):
        return len({number for number, _, _ in self.entries(what)})

    def check_alive(self):
        if self.process.poll() is not None:
            raise Trouble(f"the service ended by itself. {self.log.read_text(encoding='utf-8')}")

    def has(self, what, count):
        self.check_alive()
        return self.count(what) >= count


def play(url, version, seed, folder):
    chance = random.Random(seed)
    moment = chance.uniform(0.0, WAIT + PARCELS * 0.04)
    courier = Courier(url, folder)
    show(f"Waybill: a courier, {PARCELS} parcels, and kill -9 (seed {seed})", "1")
    show(f"RabbitMQ {version}. Nobody is at home at first: each parcel answers retry_after({WAIT:.0f} s), and waits on the server.")
    show()
    courier.publish()
    show(f"published      {PARCELS} parcels")
    courier.start()
    until("the first attempt", lambda: courier.has("tried", 1))
    time.sleep(moment)
    courier.check_alive()
    courier.end(signal.SIGKILL)
    tried, delivered = (courier.count(what) for what in ("tried", "delivered"))
    show(f"kill -9        {moment:.2f} s after the first attempt: {tried} tried, {delivered} delivered", "31")
    began = time.monotonic()
    courier.start()
    try:
        until("the last delivery", lambda: courier.has("delivered", PARCELS))
        lasted = time.monotonic() - began
        time.sleep(WAIT + 1)  # a second copy of anything would be here by now
    except Trouble as trouble:
        if courier.process.poll() is not None:
            raise
        lasted = time.monotonic() - began
        show(f"               {trouble}", "31")
    code = courier.end(signal.SIGTERM)
    show(f"started again  {lasted:.2f} s until the last parcel was delivered; then stopped, exit code {code}")
    show()
    return ledger(courier) and code == 0


def ledger(courier):
    ids = collections.defaultdict(list)
    for number, name, waybill_id in courier.entries("delivered"):
        ids[f"#{number} for {name}"].append(waybill_id)
    lost = PARCELS - len(ids)
    twice = [parcel for parcel, each in ids.items() if len(each) > 1]
    strangers = [parcel for parcel in twice if len(set(ids[parcel])) > 1 or "none" in ids[parcel]]
    verdict = f"published {PARCELS}, handled {len(ids)}, lost {lost}, duplicates: {', '.join(twice) or 'none'}"
    show(verdict, "1;32" if lost == 0 else "1;31")
    if lost:
        show("A parcel is missing. This must not be: please report it with the seed.", "31")
    elif strangers:
        show(f"Twins do not have the same id: {', '.join(strangers)}. This must not be: please report it with the seed.", "31")
    elif twice:
        show("The courier died, the parcels did not. Who got one twice can tell by its waybill-id.")
    else:
        show("The courier died. The parcels did not notice.")
    return lost == 0 and not strangers


def shape(text):
    """Numbers and names are what chance decides."""
    lines = []
    for line in text.strip().splitlines():
        line = re.sub(r"duplicates: .*", "duplicates: ...", line)
        line = re.sub(r"^The courier died.*", "The courier died ...", line)
        lines.append(re.sub(r"\d+(\.\d+)*", "N", line))
    return lines


MARK = re.compile(r"(<!-- shape: demo-kill -->\n```\n)(.*?)(```\n<!-- /shape -->)", re.S)


def compare(file):
    found = MARK.search(pathlib.Path(file).read_text(encoding="utf-8"))
    if not found:
        print(f"{file} does not show this between <!-- shape: demo-kill --> and <!-- /shape -->.", file=sys.stderr)
        return False
    if shape(found[2]) == shape("\n".join(shown)):
        return True
    print(f"{file} shows something of another shape: run scripts/demo_kill.py --update {file}.", file=sys.stderr)
    return False


def update(file):
    page = pathlib.Path(file)
    text = page.read_text(encoding="utf-8")
    page.write_text(MARK.sub(lambda m: m[1] + "\n".join(shown) + "\n" + m[3], text), encoding="utf-8")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed")
    options.add_argument("--compare")
    options.add_argument("--update")
    how = options.parse_args()
    try:
        seed = random.SystemRandom().randrange(1000) if how.seed is None else int(how.seed)
    except ValueError:
        print(f'SEED is a whole number, not "{how.seed}".', file=sys.stderr)
        return 64
    server = None
    try:
        with tempfile.TemporaryDirectory(prefix="waybill-demo-kill.") as folder:
            try:
                url, version = (os.environ.get(name) for name in ("WAYBILL_RABBITMQ", "WAYBILL_RABBITMQ_VERSION"))
                if not url:
                    print(paint("2", "Starting a private RabbitMQ 3.10 ..."), flush=True)
                    server = Server(folder)
                    url, version = server.facts["URL"], server.facts["VERSION"]
                well = play(url, version, seed, folder)
            finally:
                if server:
                    server.stop()
    except (Trouble, subprocess.SubprocessError) as trouble:
        print(paint("31", str(trouble)), file=sys.stderr)
        return 1
    if how.compare and not compare(how.compare):
        return 1
    if how.update:
        update(how.update)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
