#!/usr/bin/env python3
"""The gate of the exact figures, on figures that are made up."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from bench_gate import Baseline, problems  # noqa: E402

FIGURE = "memory.json_28.instructions"
HERE = {"kernel": "haswell", "compiler": "12.2.0"}


class Growth(unittest.TestCase):
    def test_a_figure_may_grow_by_three_percent(self):
        self.assertEqual(problems(FIGURE, 1030, 1000, 1250), [])

    def test_above_that_it_fails_and_says_which_by_how_much_and_how_to_accept_it(self):
        [sentence] = problems(FIGURE, 1040, 1000, 1250)
        for part in (FIGURE, "1,000", "1,040", "4.0%",
                     "`scripts/bench_exact.py --write-baseline memory.json_28`"):
            self.assertIn(part, sentence)

    def test_a_figure_that_falls_passes(self):
        self.assertEqual(problems(FIGURE, 500, 1000, 1250), [])

    def test_the_first_allocation_fails(self):
        [sentence] = problems("memory.retry.allocations", 0.0001, 0.0, None)
        self.assertIn("grew from 0.0 to 0.0001", sentence)

    def test_bytes_are_accepted_by_the_name_of_their_case(self):
        [sentence] = problems("timers.bytes_28", 125, 120, 128)
        self.assertIn("--write-baseline timers.bytes_28`", sentence)


class Target(unittest.TestCase):
    def test_a_missed_target_fails_though_the_baseline_holds(self):
        [sentence] = problems(FIGURE, 1251, 1251, 1250)
        self.assertIn("misses its target of 1,250", sentence)

    def test_a_missed_target_and_growth_are_two_sentences(self):
        self.assertEqual(len(problems(FIGURE, 1300, 1000, 1250)), 2)

    def test_the_target_holds_also_on_another_kernel(self):
        self.assertEqual(len(problems(FIGURE, 1300, 1000, 1250, compares=False)), 1)
        self.assertEqual(problems(FIGURE, 1200, 1000, 1250, compares=False), [])


    def test_a_target_with_a_note_leaves_the_baseline_to_bind(self):
        self.assertEqual(problems(FIGURE, 1300, 1300, 1250, note="why"), [])
        self.assertEqual(len(problems(FIGURE, 1400, 1300, 1250, note="why")), 1)

    def test_a_note_on_a_target_that_is_met_has_to_go(self):
        [sentence] = problems(FIGURE, 1200, 1200, 1250, note="why")
        self.assertIn("take its note away", sentence)


class Missing(unittest.TestCase):
    def test_a_figure_without_a_baseline_fails(self):
        [sentence] = problems(FIGURE, 1000, None, 1250)
        self.assertIn("no line in bench/baseline.json", sentence)

    def test_what_could_not_be_measured_fails(self):
        self.assertEqual(len(problems(FIGURE, None, 1000, 1250)), 1)


class Platform(unittest.TestCase):
    def test_only_the_same_kernel_compares(self):
        kept = Baseline({}, HERE)
        self.assertTrue(kept.compares_with(HERE))
        self.assertTrue(kept.compares_with({**HERE, "compiler": "13.1.0"}))
        self.assertFalse(kept.compares_with({**HERE, "kernel": "westmere"}))

    def test_growth_names_what_else_is_another_here(self):
        differs = Baseline({}, HERE).differences({**HERE, "compiler": "13.1.0"})
        [sentence] = problems(FIGURE, 1100, 1000, 1250, differences=differs)
        self.assertIn("compiler 12.2.0 there, 13.1.0 here", sentence)


class File(unittest.TestCase):
    def test_what_is_written_is_read_again_and_has_a_line_a_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "baseline.json"
            Baseline({"b": 2.5, "a": 1.0}, HERE).write(path)
            lines = path.read_text(encoding="utf-8").splitlines()
            self.assertIn('    "a": 1.0,', lines)
            self.assertIn('    "b": 2.5', lines)
            self.assertEqual(Baseline.read(path).figures, {"a": 1.0, "b": 2.5})
            self.assertEqual(Baseline.read(path).platform, HERE)

    def test_the_checked_in_baseline_names_its_platform_and_every_figure_once(self):
        def once(pairs):
            self.assertEqual(len({name for name, _ in pairs}), len(pairs))
            return dict(pairs)
        text = (ROOT / "bench/baseline.json").read_text(encoding="utf-8")
        kept = json.loads(text, object_pairs_hook=once)
        self.assertEqual(set(kept["taken_with"]), {"kernel", "compiler", "simdjson", "libc"})
        self.assertGreater(len(kept["figures"]), 50)


if __name__ == "__main__":
    unittest.main()
