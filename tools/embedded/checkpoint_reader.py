"""Answers questions with a published-style checkpoint through transformers, as its users would."""

import json
import math
import os

import numpy as np
import torch
from PIL import Image
from transformers import Qwen3VLForConditionalGeneration

import tokens


def smart_resize(height, width, factor, smallest, largest):
    """The published rule: multiples of factor whose area lies between smallest and largest."""
    h, w = max(factor, round(height / factor) * factor), max(factor, round(width / factor) * factor)
    if h * w > largest:
        scale = math.sqrt(height * width / largest)
        h = max(factor, math.floor(height / scale / factor) * factor)
        w = max(factor, math.floor(width / scale / factor) * factor)
    elif h * w < smallest:
        scale = math.sqrt(smallest / (height * width))
        h = math.ceil(height * scale / factor) * factor
        w = math.ceil(width * scale / factor) * factor
    return h, w


class CheckpointReader:
    """A loaded checkpoint folder."""

    def __init__(self, folder, dtype=torch.float32):
        self.model = Qwen3VLForConditionalGeneration.from_pretrained(folder, dtype=dtype).eval()
        with open(os.path.join(folder, "preprocessor_config.json"), encoding="utf-8") as file:
            self.preprocessor = json.load(file)

    def resized(self, picture):
        """The picture (H, W, 3) at the size the checkpoint wants."""
        size = self.preprocessor["size"]
        factor = self.preprocessor["patch_size"] * self.preprocessor["merge_size"]
        h, w = smart_resize(*picture.shape[:2], factor, size["shortest_edge"],
                            size["longest_edge"])
        return np.asarray(Image.fromarray(picture).resize((w, h), Image.BICUBIC))

    def inputs(self, picture):
        """(patch rows as the published processor orders them, grid (1, 3))."""
        p, m = self.preprocessor["patch_size"], self.preprocessor["merge_size"]
        x = torch.from_numpy(self.resized(picture).copy()).permute(2, 0, 1).float() / 127.5 - 1
        _, height, width = x.shape
        h, w = height // p, width // p
        x = x.view(3, h // m, m, p, w // m, m, p).permute(1, 4, 2, 5, 0, 3, 6)
        rows = x[:, :, :, :, :, None].expand(-1, -1, -1, -1, -1, 2, -1, -1)
        return rows.reshape(h * w, -1), torch.tensor([[1, h, w]])

    @torch.no_grad()
    def answer_ids(self, picture, question, most=400):
        """Greedy token ids, without the end token."""
        rows, grid = self.inputs(picture)
        merge = self.preprocessor["merge_size"]
        ids = torch.tensor([tokens.prompt_ids(question, int(grid.prod()) // merge ** 2)])
        kinds = (ids == tokens.IMAGE_PAD).long()
        out = self.model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), pixel_values=rows,
            image_grid_thw=grid, mm_token_type_ids=kinds, max_new_tokens=most, do_sample=False)
        answer = out[0, ids.shape[1]:].tolist()
        stops = [i for i, token in enumerate(answer) if token in (tokens.END, tokens.PAD)]
        return answer[:stops[0]] if stops else answer + [None]

    def answer(self, picture, question, most=400):
        """(text, whether it stopped by itself)."""
        ids = self.answer_ids(picture, question, most)
        return tokens.decode([i for i in ids if i is not None]), None not in ids
