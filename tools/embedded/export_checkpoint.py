"""Writes a training run as a published-style checkpoint: export_checkpoint.py MODEL.pt FOLDER.

Weights in bf16 safetensors; config, tokenizer, generation and preprocessor configuration beside
them. --check compares transformers' greedy answers with the batched forward pass of training.
"""

import argparse
import json
import os
import random

import numpy as np
import torch

import draw_text
import network
import tasks
import tokens
from checkpoint_reader import CheckpointReader
from train_tower import to_tensor

# A screen of 1280 x 720 is shrunk to 960 x 528: type of 16 pixels keeps 12.
MIN_PIXELS, MAX_PIXELS = 4096, 524288
SPLIT = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+"
         "[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
NOT_SPECIAL = {"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>",
               "</think>"}


def byte_letters():
    """The visible stand-in of each byte in byte-level BPE files."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters, extra = {b: chr(b) for b in plain}, 0
    for byte in range(256):
        if byte not in letters:
            letters[byte], extra = chr(256 + extra), extra + 1
    return letters


def tokenizer():
    """tokenizer.json: 256 bytes, no merges, the published special tokens."""
    byte_level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=False, use_regex=False)
    added = [dict(id=i, content=name, single_word=False, lstrip=False, rstrip=False,
                  normalized=False, special=name not in NOT_SPECIAL)
             for name, i in tokens.SPECIAL.items()]
    split = dict(type="Split", pattern=dict(Regex=SPLIT), behavior="Isolated", invert=False)
    letters = byte_letters()
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": byte_level, "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None,
                  "continuing_subword_prefix": "", "end_of_word_suffix": "", "fuse_unk": False,
                  "byte_fallback": False, "ignore_merges": False,
                  "vocab": {letters[i]: i for i in range(256)}, "merges": []}}


def write_json(folder, name, content):
    """One configuration file."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.write("\n")


def export(state, folder):
    """Writes all files of the checkpoint."""
    os.makedirs(folder, exist_ok=True)
    model = network.build()
    model.load_state_dict(state["model"])
    model.to(torch.bfloat16).save_pretrained(folder)
    write_json(folder, "tokenizer.json", tokenizer())
    write_json(folder, "preprocessor_config.json", dict(
        size=dict(longest_edge=MAX_PIXELS, shortest_edge=MIN_PIXELS), patch_size=network.PATCH_PX,
        temporal_patch_size=2, merge_size=network.MERGE, image_mean=[0.5] * 3, image_std=[0.5] * 3,
        processor_class="Qwen3VLProcessor", image_processor_type="Qwen2VLImageProcessorFast"))
    write_json(folder, "generation_config.json", dict(
        bos_token_id=tokens.PAD, pad_token_id=tokens.PAD, do_sample=False,
        eos_token_id=[tokens.END, tokens.PAD], repetition_penalty=1.0))
    path = os.path.join(folder, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    config["text_config"]["dtype"] = "bfloat16"
    write_json(folder, "config.json", config)


def check(folder, count=12):
    """Fails unless transformers and the batched forward pass agree on every token."""
    reader = CheckpointReader(folder)
    fast = network.build()
    fast.load_state_dict(reader.model.state_dict())
    rng, same = random.Random(5), 0
    for i in range(count):
        height, width = rng.choice([(32, 160), (64, 256), (96, 192)])
        sample = (tasks.looking(rng, height, width) if i % 3 == 2 else
                  tasks.reading(rng, height, width, draw_text.TextOptions(held_out=True)))
        cells = (height // network.CELL_PX) * (width // network.CELL_PX)
        prompt = tokens.prompt_ids(sample.question, cells)
        ours = network.generate(fast, [prompt], to_tensor(sample.picture[np.newaxis].copy()), 80)[0]
        theirs = reader.answer_ids(sample.picture, sample.question, 80)
        theirs = [t for t in theirs if t is not None]
        same += ours == theirs
        if ours != theirs:
            print(f"differs: {tokens.decode(ours)!r} {tokens.decode(theirs)!r}")
    print(f"same greedy answer as transformers: {same} of {count}")
    if same < count:
        raise SystemExit(1)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", help="model.pt of train_model.py")
    parser.add_argument("folder")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    export(torch.load(args.state), args.folder)
    os.chmod(os.path.join(args.folder, "model.safetensors"), 0o644)
    size = os.path.getsize(os.path.join(args.folder, "model.safetensors"))
    print(f"{size / 1e6:.1f} MB of weights")
    if args.check:
        check(args.folder)


if __name__ == "__main__":
    main()
