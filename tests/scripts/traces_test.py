#!/usr/bin/env python3
"""What traces.py takes for the same, and what it does not."""
import copy
import unittest

import traces


def event(name, at_ms, **more):
    return {"at_ms": at_ms, "event": name, **more}


def delivered(at_ms, attempt, payload="a", **more):
    return event("delivered", at_ms, subscription="charge", attempt=attempt, headers=[], payload=payload, **more)


def outcome(at_ms, attempt):
    return event("outcome", at_ms, subscription="charge", attempt=attempt, outcome="retry", delay_ms=0)


def settled(at_ms, attempt):
    return event("settled", at_ms, subscription="charge", attempt=attempt, **{"as": "accepted"})


def published(at_ms, to, why, confirmed=True, payload="a"):
    return event("published", at_ms, to=to, why=why, headers=[["waybill-id", str(at_ms)]], payload=payload,
                 confirmed=confirmed)


def run(*lines, waiting=0):
    return [event("started", 0, subscription="charge"), *lines, event("ended", 4000, waiting=waiting, unsettled={})]


USUAL = run(published(0, "orders", "step"), delivered(0, 1), outcome(0, 1), published(0, "orders", "retry"),
            settled(0, 1), delivered(1000, 2), outcome(1000, 2), settled(1000, 2))


class Traces(unittest.TestCase):
    def alike(self, memory, live):
        self.assertIsNone(traces.difference(memory, live))

    def differ(self, memory, live, *words):
        what = traces.difference(memory, live)
        self.assertIsNotNone(what)
        for word in words:
            self.assertIn(word, what)

    def test_times_ids_and_the_order_of_headers_are_free(self):
        live = copy.deepcopy(USUAL)
        for line in live:
            line["at_ms"] += 17.3
        live[4]["headers"] = [["waybill-id", "another"]]
        self.alike(USUAL, live)
        one, other = copy.deepcopy(USUAL), copy.deepcopy(USUAL)
        one[2]["headers"] = [["a", "1"], ["b", "2"]]
        other[2]["headers"] = [["b", "2"], ["a", "1"]]
        self.alike(one, other)
        other[2]["headers"] = [["b", "2"], ["a", "3"]]
        self.differ(one, other, "charge, 'a'")

    def test_a_delivery_too_few_too_many_or_in_another_order(self):
        self.differ(USUAL, USUAL[:6] + USUAL[7:], "live      None")
        self.differ(USUAL, USUAL[:7] + [delivered(1500, 3)] + USUAL[7:], "in memory None")
        swapped = copy.deepcopy(USUAL)
        swapped[2]["attempt"], swapped[6]["attempt"] = 2, 1
        self.differ(USUAL, swapped)

    def test_equal_messages_have_no_order_but_a_number(self):
        two = [published(0, "orders", "step"), published(0, "orders", "step")]
        memory = run(*two, delivered(0, 1), delivered(0, 1), delivered(1000, 2))
        self.alike(memory, run(*two, delivered(0, 1), delivered(0, 2), delivered(1000, 1)))
        self.differ(memory, run(*two, delivered(0, 1), delivered(1000, 2)))

    def test_what_goes_on_may_come_less_far_and_not_stand_still(self):
        tries = [delivered(100 * number, number) for number in range(1, 40)]
        memory = run(published(0, "orders", "step"), *tries, waiting=1)
        self.alike(memory, run(published(0, "orders", "step"), *tries[:33], waiting=1))
        self.differ(memory, run(published(0, "orders", "step"), *tries[:20], waiting=1), "live      None")
        self.differ(memory, run(published(0, "orders", "step"), *tries[:10], *tries[11:], waiting=1))

    def test_what_goes_on_may_go_on_longer_in_a_run_that_takes_longer(self):
        tries = [delivered(100 * number, number) for number in range(1, 70)]
        memory = run(published(0, "orders", "step"), *tries[:40], waiting=1)
        live = run(published(0, "orders", "step"), *tries, waiting=1)
        live[-1]["at_ms"] = 7000
        self.alike(memory, live)
        live.insert(10, delivered(900, 9))
        self.differ(memory, live)

    def test_how_often_a_publish_was_refused_is_free_whether_is_not(self):
        def tried(times):
            return run(published(0, "orders", "step"),
                       *[published(number, "dead", "dead_letter", False) for number in range(times)],
                       published(9, "dead", "dead_letter"))
        self.alike(tried(2), tried(1))
        self.differ(tried(2), tried(0), "refused at dead")

    def test_a_handler_that_kills_its_process_may_double_what_its_lane_had_not_settled(self):
        again = event("started", 5, subscription="charge")
        memory = run(published(0, "orders", "step"), delivered(0, 1), outcome(0, 1), settled(0, 1), delivered(1, 2),
                     again, delivered(6, 2), outcome(6, 2), settled(6, 2))
        doubled = run(published(0, "orders", "step"), delivered(0, 1), outcome(0, 1), delivered(1, 2), again,
                      delivered(5, 1), outcome(5, 1), settled(5, 1), delivered(6, 2), outcome(6, 2), settled(6, 2),
                      delivered(7, 2), outcome(7, 2), settled(7, 2))
        self.alike(memory, doubled)
        self.differ(memory, doubled[:12] + [delivered(7, 3)] + doubled[13:], "in memory None")
        self.differ(memory, [line for line in doubled if line.get("attempt") != 2])
        # Without such a kill a repetition is a difference.
        self.differ(memory, memory[:-1] + [delivered(7, 2)] + memory[-1:])

    def test_refusals_are_compared(self):
        def refused(problem):
            return [event("refused", 0, problem=problem, fix="do so"), event("ended", 0, waiting=0)]
        self.alike(refused("no"), refused("no"))
        self.differ(refused("no"), refused("never"))


if __name__ == "__main__":
    unittest.main()
