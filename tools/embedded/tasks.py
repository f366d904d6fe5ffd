"""Pictures with a question and its one right answer, and where each byte of the answer stands."""

import dataclasses

import numpy as np

import canvas
import draw_screen
import draw_shapes
import draw_text
import words

READ_PROMPTS = [
    "Read the text.", "Read the text in the image.", "Extract all text.", "What does it say?",
    "OCR", "Transcribe the text in the image.", "What is written here?",
    "What text is in this picture?",
    "Extract the text from this picture line by line.", "What does this say?",
    "Please read this picture.", "Read this.",
]
SHORT_PROMPT = "OCR"
CHINESE_READ_PROMPTS = [
    "\u8bf7\u9010\u884c\u63d0\u53d6\u56fe\u4e2d\u6240\u6709\u53ef\u89c1\u6587\u5b57",
    "\u63d0\u53d6\u56fe\u4e2d\u6587\u5b57", "\u56fe\u4e2d\u5199\u4e86\u4ec0\u4e48\uff1f",
    "\u8bc6\u522b\u56fe\u4e2d\u7684\u6587\u5b57", "\u56fe\u4e2d\u6587\u5b57\uff1f",
    "\u8bf7\u9010\u884c\u63d0\u53d6\u56fe\u4e2d\u6240\u6709\u53ef\u89c1\u6587\u5b57\u3002",
]
DESCRIBE_PROMPTS = ["Describe this picture.", "Describe the image.", "What is in the image?",
                    "What do you see?", "What is in this picture?",
                    "\u63cf\u8ff0\u8fd9\u5f20\u56fe\u7247", "\u56fe\u4e2d\u6709\u4ec0\u4e48\uff1f"]
NO_TEXT, NO_TEXT_CHINESE = "There is no text.", "\u56fe\u4e2d\u6ca1\u6709\u6587\u5b57\u3002"
BLANK = "A blank picture."
FULL_SHARE = 0.75    # reading exercises whose page is filled with lines: more to learn from each
NUMBERS = ["Zero", "One", "Two", "Three", "Four"]


@dataclasses.dataclass
class Sample:
    """One exercise. sources: a place (x, y) or None for every answer byte and for the end."""

    kind: str
    picture: np.ndarray
    question: str
    answer: str
    sources: list
    marks: list = dataclasses.field(default_factory=list)
    scene: object = None


def read_prompt(rng):
    """An OCR prompt and whether it is Chinese; the shortest, which cost least, come most often."""
    k = rng.random()
    if k < 0.4:
        return SHORT_PROMPT, False
    chinese = k < 0.55
    return rng.choice(CHINESE_READ_PROMPTS if chinese else READ_PROMPTS), chinese


def nowhere(text):
    """Sources of bytes that are not copied from the picture."""
    return [None] * len(text.encode())


def places(marks):
    """Sources of printed characters, byte by byte."""
    return [(x, y) for x, y, char in marks for _ in char.encode()]


def reading(rng, height, width, options):
    """Transcribe the page."""
    full = options.full or rng.random() < FULL_SHARE
    page = draw_text.draw_page(rng, height, width, dataclasses.replace(options, full=full))
    question, _ = read_prompt(rng)
    return Sample("read", page.picture, question, page.text, places(page.marks), page.marks)


def reading_screen(rng, height, width, smallest, shown, **options):
    """Transcribe a screen; see draw_screen.draw_screen."""
    page = draw_screen.draw_screen(rng, height, width, smallest, shown, **options)
    question, _ = read_prompt(rng)
    return Sample("screen", page.picture, question, page.text, places(page.marks), page.marks)


def quoting(rng, height, width, options):
    """Describe a picture that holds one line of text."""
    page = draw_text.draw_page(rng, height, width, dataclasses.replace(options, max_lines=1,
                                                                       full=False))
    start = "The text reads: "
    return Sample("quote", page.picture, rng.choice(DESCRIBE_PROMPTS), start + page.text,
                  nowhere(start) + places(page.marks), page.marks)


FIELDS = {"Total": words.price, "Tax": words.price, "Price": words.price, "Date": words.date,
          "Time": words.clock, "Order": words.code, "Room": words.number, "Name": words.plain_word}


def asking(rng, height, width, options):
    """Two or three labelled lines; the question wants the value of one."""
    names = rng.sample(list(FIELDS), min(rng.randint(2, 3), height // 24))
    values = [rng.choice(words.EVERYDAY).capitalize() if name == "Name" and options.held_out
              else FIELDS[name](rng) for name in names]
    separator = rng.choice([": ", ": ", " "])
    lines = [f"{n}{separator}{v}" for n, v in zip(names, values)]
    small = dataclasses.replace(options, max_px=min(options.max_px, int(width / 14)))
    page = draw_text.draw_page(rng, height, width, small, given=lines)
    k = rng.randrange(len(names))
    begin = sum(len(line) + 1 for line in lines[:k]) + len(names[k]) + len(separator)
    value_marks = page.marks[begin:begin + len(values[k]) + 1]
    return Sample("ask", page.picture, f"What is the {names[k].lower()}?", values[k],
                  places(value_marks), page.marks)


def empty(rng, height, width, _):
    """A page without text, plain or with a soft slope of brightness."""
    _, paper = canvas.ink_and_paper(rng)
    picture = np.empty((height, width, 3), np.float32)
    picture[:] = paper
    if rng.random() < 0.3:
        picture += np.linspace(-20, 20, width, dtype=np.float32)[None, :, None]
    picture = canvas.harm(rng, picture.clip(0, 255).astype(np.uint8), 1.0)
    if rng.random() < 0.2:
        prompt = rng.choice(DESCRIBE_PROMPTS)
        return Sample("blank", picture, prompt, BLANK, nowhere(BLANK) + [None])
    question, chinese = read_prompt(rng)
    answer = NO_TEXT_CHINESE if chinese else NO_TEXT
    return Sample("blank", picture, question, answer, nowhere(answer) + [None])


def with_article(words_):
    """'a red circle', 'an orange star'."""
    return ("an " if words_[0] in "aeiou" else "a ") + words_


def describe(scene):
    """The full description and the source of each byte: the shape that is being named."""
    answer, sources = "", []
    last = len(scene.shapes) - 1
    for i, shape in enumerate(scene.shapes):
        joint = "" if i == 0 else " and " if i == last else ", "
        part = joint + with_article(f"{shape.colour} {shape.name}")
        answer += part
        sources += [shape.middle] * len(part)
    return answer[0].upper() + answer[1:] + ".", sources + [None, None]


def constant(answer, source=None):
    """A short answer read off one place."""
    return answer, [source] * len(answer.encode()) + [None]


def unique(shapes, key):
    """The shapes whose key no other shape has."""
    keys = [key(s) for s in shapes]
    return [s for s in shapes if keys.count(key(s)) == 1]


def scene_question(rng, scene):
    """(question, answer, sources) about a scene."""
    k, shapes = rng.random(), scene.shapes
    if k < 0.45:
        return (rng.choice(DESCRIBE_PROMPTS), *describe(scene))
    if k < 0.58:
        question = rng.choice(["How many shapes are there?", "Count the shapes."])
        return (question, *constant(NUMBERS[len(shapes)] + "."))
    if k < 0.66:
        name = rng.choice(draw_shapes.SHAPE_NAMES)
        count = sum(s.name == name for s in shapes)
        return (f"How many {name}s are there?", *constant(NUMBERS[count] + "."))
    by_name, by_colour = unique(shapes, lambda s: s.name), unique(shapes, lambda s: s.colour)
    if k < 0.78 and by_name:
        shape = rng.choice(by_name)
        spelled = rng.choice(["color", "colour"])
        return (f"What {spelled} is the {shape.name}?",
                *constant(shape.colour.capitalize() + ".", shape.middle))
    if k < 0.88 and by_colour:
        shape = rng.choice(by_colour)
        return (f"What shape is {shape.colour}?",
                *constant(with_article(shape.name).capitalize() + ".", shape.middle))
    both = unique(shapes, lambda s: (s.colour, s.name))
    if k < 0.96 and both and len(shapes) in (2, 3):
        shape = rng.choice(both)
        places_ = ["On the left.", "On the right."]
        if len(shapes) == 3:
            places_.insert(1, "In the middle.")
        return (f"Where is the {shape.colour} {shape.name}?",
                *constant(places_[shapes.index(shape)], shape.middle))
    return (rng.choice(DESCRIBE_PROMPTS), *describe(scene))


def looking(rng, height, width, most=4):
    """A question about coloured shapes; now and then about text that is not there."""
    scene = draw_shapes.draw_scene(rng, height, width, most)
    if rng.random() < 0.07:
        question, chinese = read_prompt(rng)
        answer, sources = constant(NO_TEXT_CHINESE if chinese else NO_TEXT)
    else:
        question, answer, sources = scene_question(rng, scene)
    return Sample("shapes", scene.picture, question, answer, sources, scene=scene)


def text_sample(rng, height, width, options):
    """Mostly reading, with the other text exercises mixed in."""
    k = rng.random()
    if k < 0.06:
        return empty(rng, height, width, options)
    if k < 0.11:
        return quoting(rng, height, width, options)
    if k < 0.18 and height >= 48 and width >= 160:
        return asking(rng, height, width, options)
    return reading(rng, height, width, options)
