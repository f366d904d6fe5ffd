"""Pictures, questions and answers: what is drawn is what is asked for."""

import random
import unittest

import cases
import draw_text
import fonts
import tasks
import tokens


class Exercises(unittest.TestCase):
    """Every exercise of tasks.py and cases.py."""

    def test_same_seed_same_exercise(self):
        for category in ("4-8 lines", "noise, blur, JPEG, tilt", "describe shapes", "blank",
                         "screen, 640x480"):
            one, two = (cases.draw_cases(7, {category: 2}) for _ in range(2))
            for a, b in zip(one, two):
                self.assertEqual(a.sample.answer, b.sample.answer)
                self.assertEqual(a.sample.question, b.sample.question)
                self.assertEqual(a.sample.picture.tobytes(), b.sample.picture.tobytes())

    def test_every_answer_byte_and_the_end_has_a_source(self):
        rng, options = random.Random(3), draw_text.TextOptions()
        for _ in range(40):
            for sample in (tasks.text_sample(rng, 96, 256, options), tasks.looking(rng, 96, 192)):
                self.assertEqual(len(sample.sources), len(sample.answer.encode()) + 1)

    def test_marks_stand_in_reading_order_and_spell_the_page(self):
        rng = random.Random(4)
        for _ in range(20):
            page = draw_text.draw_page(rng, 128, 256, draw_text.TextOptions(full=True))
            self.assertEqual("".join(char for _, _, char in page.marks), page.text + "\n")

    def test_ink_lies_under_the_marks(self):
        rng = random.Random(5)
        options = draw_text.TextOptions(min_px=20, clean=True)
        for _ in range(10):
            page = draw_text.draw_page(rng, 64, 256, options)
            for x, y, char in page.marks:
                if char.isalnum():
                    around = page.picture[int(y) - 8:int(y) + 9, max(0, int(x) - 6):int(x) + 7]
                    self.assertLess(around.min(), 128, char)

    def test_marks_of_a_screen_spell_its_lines_where_they_are_shown(self):
        rng, shown = random.Random(8), (320, 512)
        for _ in range(20):
            sample = tasks.reading_screen(rng, 426, 681, 16, shown, harm_share=0.0)
            self.assertEqual(sample.picture.shape, (*shown, 3))
            self.assertEqual("".join(char for _, _, char in sample.marks), sample.answer + "\n")
            self.assertLessEqual(sample.answer.count("\n"), 7)
            for x, y, char in sample.marks:
                if char.isalnum():
                    around = sample.picture[int(y) - 5:int(y) + 6, int(x) - 3:int(x) + 4]
                    self.assertGreater(int(around.max()) - int(around.min()), 60, char)

    def test_the_value_that_is_asked_for_stands_on_the_page(self):
        rng = random.Random(6)
        options = draw_text.TextOptions(min_px=14, max_px=24)
        for _ in range(20):
            sample = tasks.asking(rng, 96, 256, options)
            self.assertIn(sample.answer, "".join(char for _, _, char in sample.marks))

    def test_descriptions_name_every_shape_from_left_to_right(self):
        rng = random.Random(7)
        for _ in range(30):
            scene = tasks.draw_shapes.draw_scene(rng, 96, 192)
            answer = tasks.describe(scene)[0].lower()
            at = -1
            for shape in scene.shapes:
                at = answer.index(f"{shape.colour} {shape.name}", at + 1)
            self.assertEqual([s.middle for s in scene.shapes],
                             sorted(s.middle for s in scene.shapes))

    def test_held_out_fonts_are_not_trained_on(self):
        trained = {f for files in fonts.families() for f in files}
        self.assertFalse(trained & {f for files in fonts.families(True) for f in files})


class Tokens(unittest.TestCase):
    """The chat frame."""

    def test_prompt_has_one_token_a_byte_and_a_cell(self):
        ids = tokens.prompt_ids("Hé?", 5)
        self.assertEqual(ids.count(tokens.IMAGE_PAD), 5)
        self.assertEqual(ids[:tokens.PREFIX_TOKENS], tokens.BEFORE_PICTURE)
        self.assertIn("Hé?", tokens.decode(ids))

    def test_cut_characters_do_not_fail(self):
        self.assertEqual(tokens.decode(tokens.encode("€")[:2] + [tokens.END]), "\ufffd")


class Measuring(unittest.TestCase):
    """The character error rate."""

    def test_edit_distance(self):
        for got, wanted, errors in (("open", "open", 0), ("opn", "open", 1), ("", "ab", 2),
                                    ("kitten", "sitting", 3), ("ab", "", 2)):
            self.assertEqual(cases.edit_distance(got, wanted), errors)


if __name__ == "__main__":
    unittest.main()
