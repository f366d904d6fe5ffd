"""What is read from the peers and written of them, without any peer."""

import json
import struct
import unittest
import zlib

import chat
import peer_llama
import peer_ocelli
import peer_python
import peers
import served
import shapes
import table
from processes import PeerError


class Reading(unittest.TestCase):
    """What the programs print."""

    def test_ocelli_phases(self):
        text = json.dumps({"phases": [{"phase": "encode 336x336", "seconds": 1.5, "kernels": []},
                                      {"phase": "prefill 512 tokens", "seconds": 6}]})
        self.assertEqual(peer_ocelli.phase_seconds(text),
                         {"encode 336x336": 1.5, "prefill 512 tokens": 6})

    def test_llama_rates_count_what_was_read_or_written_not_the_depth(self):
        text = json.dumps([
            {"n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ns": 16_000_000_000},
            {"n_prompt": 0, "n_gen": 16, "n_depth": 128, "avg_ns": 4_000_000_000}])
        self.assertEqual(peer_llama.bench_rates(text), {(512, 0, 0): 32.0, (0, 16, 128): 4.0})

    def test_llama_says_how_long_the_one_picture_took(self):
        words = "encoding mtmd batch, n_chunks = 1\nmtmd batch encoding done in 1250 ms\n" \
                "image decoded (batch 1/1) in 9 ms\n"
        self.assertEqual(peer_llama.encode_seconds(words), 1.25)
        with self.assertRaisesRegex(PeerError, "2 encoded pictures instead of one"):
            peer_llama.encode_seconds(words + words)

    def test_workers_may_print_other_lines(self):
        text = 'loading\n{"phase": "encode 64x64", "figure": 2, "unit": "s"}\ndone\n'
        self.assertEqual(peer_python.figures(text), [("encode 64x64", 2, "s")])


class Tables(unittest.TestCase):
    """Medians, ratios and what is written of them."""

    def setUp(self):
        self.figures = table.Figures("ours")
        for i, (our, their) in enumerate(((2, 6), (3, 6), (4, 20))):
            self.figures.add(i, "theirs", "encode", their, "s")
            self.figures.add(i, "ours", "encode", our, "s")
        self.figures.add(0, "ours", "prefill", 90, "tokens/s")
        self.figures.add(0, "theirs", "prefill", 30, "tokens/s")
        self.figures.add(1, "theirs", "prefill", 31, "tokens/s")

    def test_ratios_are_within_a_round_and_above_one_where_we_are_better(self):
        self.assertEqual(self.figures.ratios("encode", "theirs"), [3, 2, 5])
        self.assertEqual(self.figures.ratios("prefill", "theirs"), [3])

    def test_the_reference_comes_first(self):
        self.assertEqual(self.figures.peers(), ["ours", "theirs"])

    def test_markdown(self):
        lines = table.markdown(self.figures, {"machine": "small"}).splitlines()
        self.assertEqual(lines, [
            "- machine: small", "", "| | ours | theirs |", "|---|---|---|",
            "| encode, s | 3.00 (2.00 to 4.00) | 6.00: **3.00x** (2.00 to 5.00) |",
            "| prefill, tokens/s | 90.0 (90.0 to 90.0) | 30.5: **3.00x** (3.00 to 3.00) |"])

    def test_what_failed_is_named_and_leaves_its_cell_empty(self):
        self.figures.add(0, "ours", "decode", 8, "tokens/s")
        self.figures.fail("theirs", "decode", "it fell over")
        text = table.markdown(self.figures, {})
        self.assertIn("| decode, tokens/s | 8.00 (8.00 to 8.00) |  |", text)
        self.assertIn("- missing: theirs, decode: it fell over", text)

    def test_a_peer_without_the_reference_has_no_ratio(self):
        self.figures.add(0, "theirs", "start-up", 1, "s")
        self.assertIn("| start-up, s |  | 1.00 |", table.markdown(self.figures, {}))

    def test_one_phase_has_one_unit(self):
        with self.assertRaises(ValueError):
            self.figures.add(3, "theirs", "encode", 1, "tokens/s")

    def test_json_has_every_figure(self):
        document = json.loads(table.document(self.figures, {"machine": "small"}))
        self.assertEqual(document["about"], {"machine": "small"})
        self.assertEqual(document["phases"][0]["peers"]["theirs"],
                         {"figures": [6, 6, 20], "ratios": [3, 2, 5]})

    def test_three_digits(self):
        self.assertEqual([table.rounded(x) for x in (1234.5, 99.94, 9.876, 0.1234)],
                         ["1234", "99.9", "9.88", "0.123"])


class Faulty:
    """A peer that encodes in its second round only, and does nothing else."""

    def encode(self, pictures, round_number, add):
        """Fails once."""
        if round_number == 0:
            raise PeerError("not yet")
        add(f"encode {pictures[0]}", 1, "s")


class Rounds(unittest.TestCase):
    """Who does what, and when."""

    def options(self, *words):
        """Returns options as a user gives them."""
        return peers.parse(["--work", "there", *words])

    def test_none_and_lists(self):
        options = self.options("--pictures", "none", "--prompts", "16,32", "--served", "none")
        self.assertEqual(peers.tasks(options), [("prefill", [16, 32]), ("decode", [128, 4096])])

    def test_each_peer_is_first_once(self):
        turns = [peers.turn(["a", "b", "c"], i) for i in range(3)]
        self.assertEqual([turn[0] for turn in turns], ["a", "b", "c"])
        self.assertTrue(all(sorted(turn) == ["a", "b", "c"] for turn in turns))

    def test_a_failure_is_noted_and_the_rounds_go_on(self):
        figures, said = table.Figures("faulty"), []
        options = self.options("--rounds", "2", "--pictures", "8x8", "--prompts", "16",
                               "--contexts", "none", "--served", "none")
        peers.measure({"faulty": Faulty()}, options, figures, said.append)
        self.assertEqual(figures.values("encode 8x8", "faulty"), [1])
        self.assertEqual(figures.failures(), ["faulty, encode: not yet"])
        self.assertEqual(len(said), 2)

    def test_as_many_slots_as_clients(self):
        self.assertEqual(served.most_clients(["start", "clients4", "clients16"]), 16)
        self.assertEqual(served.most_clients(["start"]), 1)


class Pictures(unittest.TestCase):
    """What the peers look at."""

    def test_png_holds_every_pixel(self):
        data = chat.png(5, 3, 7)
        self.assertEqual(struct.unpack(">II", data[16:24]), (5, 3))
        start = data.index(b"IDAT") + 4
        length, = struct.unpack(">I", data[start - 8:start - 4])
        self.assertEqual(len(zlib.decompress(data[start:start + length])), 3 * (1 + 5 * 3))

    def test_seeds_differ(self):
        self.assertNotEqual(chat.png(4, 4, 1), chat.png(4, 4, 2))

    def test_half_a_token_is_rounded_up(self):
        self.assertEqual(shapes.grid("336x336"), (22, 22))
        self.assertEqual(shapes.grid("1280x720"), (46, 80))


if __name__ == "__main__":
    unittest.main()
