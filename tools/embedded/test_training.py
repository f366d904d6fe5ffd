"""Dense labels, batches, the optimiser, and the batched forward pass against transformers' own."""

import random
import unittest

import numpy as np
import torch

import batches
import checkpoint_reader
import draw_shapes
import labels
import network
import tasks
import tokens
import training


class Labels(unittest.TestCase):
    """Which patch is labelled with what."""

    def test_patches_are_counted_in_merge_order(self):
        self.assertEqual(labels.patch_index(0, 0, 32, 64), 0)
        self.assertEqual(labels.patch_index(9, 0, 32, 64), 1)
        self.assertEqual(labels.patch_index(0, 9, 32, 64), 2)
        self.assertEqual(labels.patch_index(17, 0, 32, 64), 4)
        self.assertEqual(labels.cell_index(17, 17, 32, 64), 5)
        self.assertIsNone(labels.patch_index(-1, 0, 32, 64))
        self.assertIsNone(labels.patch_index(0, 32, 32, 64))

    def test_two_characters_share_a_patch_in_order(self):
        out = labels.character_targets([(1, 1, "i"), (5, 1, "l"), (9, 1, "m")], 16, 32)
        self.assertEqual(out[0].tolist(), [labels.CLASS["i"], labels.CLASS["l"]])
        self.assertEqual(out[1].tolist(), [labels.CLASS["m"], 0])

    def test_lines_are_numbered_and_the_last_is_known(self):
        marks = [(1, 1, "a"), (20, 1, "\n"), (1, 20, "b"), (20, 20, "\n")]
        out = labels.line_targets(marks, 32, 32)
        self.assertEqual(out[labels.patch_index(1, 1, 32, 32)], 1)
        self.assertEqual(out[labels.patch_index(20, 20, 32, 32)], 1 + 2 + 1)

    def test_shapes_know_their_rank_and_number(self):
        shapes = [draw_shapes.Shape("red", "circle", (0, 0, 40, 40)),
                  draw_shapes.Shape("blue", "star", (50, 0, 90, 40))]
        out = labels.shape_targets(draw_shapes.Scene(None, "white", shapes), 48, 96)
        middle = out[labels.patch_index(70, 20, 48, 96)]
        self.assertEqual(middle[0], 1 + draw_shapes.COLOUR_NAMES.index("blue"))
        self.assertEqual(middle[2], 1 + labels.MOST_SHAPES * 1 + 1)
        self.assertEqual(out[labels.patch_index(2, 2, 48, 96)].tolist(), [labels.IGNORED] * 3)


class Batches(unittest.TestCase):
    """Arrays of a training step."""

    def test_pairs_point_from_the_token_before_to_the_cell_of_the_byte(self):
        rng = random.Random(1)
        for level in range(len(batches.LEVELS)):
            for batch in batches.draw_batches(rng, level):
                height, width = batch.pictures.shape[1:3]
                last = tokens.PREFIX_TOKENS + height * width // network.CELL_PX ** 2
                for row, at, cell in batch.pairs:
                    self.assertNotEqual(batch.labels[row, at + 1], -100)
                    self.assertTrue(tokens.PREFIX_TOKENS <= cell < last)
                    self.assertEqual(batch.ids[row, cell], tokens.IMAGE_PAD)

    def test_slips_spoil_the_input_and_never_the_label(self):
        rng, spoiled = random.Random(2), 0
        for _ in range(50):
            wanted = list(b"a line of text") + [tokens.END]
            fed = batches.slip(rng, wanted)
            self.assertEqual((len(fed), fed[-1]), (len(wanted), tokens.END))
            spoiled += fed != wanted
        self.assertTrue(0 < spoiled < 50)


class Optimiser(unittest.TestCase):
    """Muon's orthogonal updates and the rate."""

    def test_updates_are_nearly_orthogonal(self):
        torch.manual_seed(0)
        for shape in ((64, 40), (40, 64)):      # a square one has a singular value of nearly 0
            values = torch.linalg.svdvals(training.orthogonal(torch.randn(1, *shape))[0])
            self.assertTrue(0.3 < values.min() and values.max() < 1.3, values)

    def test_cosine_falls_from_the_peak_to_the_floor(self):
        self.assertEqual(training.cosine(2.0, -1), 2.0)
        self.assertAlmostEqual(training.cosine(2.0, 1, floor=0.1), 0.2)
        self.assertAlmostEqual(training.cosine(2.0, 0.5, floor=0), 1.0)


class Network(unittest.TestCase):
    """The fast forward pass is the published one."""

    def test_same_scores_as_transformers(self):
        model = network.build(3).eval()
        rng = random.Random(8)
        sample = tasks.looking(rng, 48, 96)
        pictures = torch.from_numpy(sample.picture.copy())[None].permute(0, 3, 1, 2) / 127.5 - 1
        ids = torch.tensor([tokens.prompt_ids(sample.question, 18)])
        with torch.no_grad():
            seen = network.see(model.model.visual, pictures)
            ours = network.logits(model, network.read(model, ids, seen, 3, 6)[0])
            rows = network.patches(pictures)[0].view(-1, 3, 1, 64).expand(-1, -1, 2, -1)
            theirs = model(input_ids=ids, pixel_values=rows.reshape(len(rows), -1),
                           image_grid_thw=torch.tensor([[1, 6, 12]]),
                           mm_token_type_ids=(ids == tokens.IMAGE_PAD).long()).logits
        np.testing.assert_allclose(ours, theirs, atol=2e-4)

    def test_sizes_follow_the_published_rule(self):
        self.assertEqual(checkpoint_reader.smart_resize(50, 100, 16, 4096, 262144), (48, 96))
        self.assertEqual(checkpoint_reader.smart_resize(16, 16, 16, 4096, 262144), (64, 64))
        height, width = checkpoint_reader.smart_resize(2000, 1000, 16, 4096, 262144)
        self.assertLessEqual(height * width, 262144)


if __name__ == "__main__":
    unittest.main()
