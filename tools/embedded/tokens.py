"""Byte tokens, special tokens and the chat frame of the embedded model.

The tokenizer has no merges: token i < 256 is byte i, so the vocabulary costs next to nothing and
every string can be written. Special tokens have the published names and order.
"""

SPECIAL_NAMES = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
    "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>",
    "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>", "<tool_call>",
    "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
    "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>",
]
SPECIAL = {name: 256 + i for i, name in enumerate(SPECIAL_NAMES)}
VOCAB_SIZE = 288
END = SPECIAL["<|im_end|>"]
PAD = SPECIAL["<|endoftext|>"]
IMAGE_PAD = SPECIAL["<|image_pad|>"]


def encode(text):
    """Token ids of a text: its UTF-8 bytes."""
    return list(text.encode())


def decode(ids):
    """Text of token ids; special tokens are left out."""
    return bytes(i for i in ids if i < 256).decode(errors="replace")


BEFORE_PICTURE = [SPECIAL["<|im_start|>"]] + encode("user\n") + [SPECIAL["<|vision_start|>"]]
PREFIX_TOKENS = len(BEFORE_PICTURE)


def prompt_ids(question, picture_tokens):
    """The published chat template for one user turn with one picture before the question."""
    return (BEFORE_PICTURE + [IMAGE_PAD] * picture_tokens + [SPECIAL["<|vision_end|>"]]
            + encode(question) + [END] + encode("\n") + [SPECIAL["<|im_start|>"]]
            + encode("assistant\n"))
