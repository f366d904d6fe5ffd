"""transformers on PyTorch: torch_worker.py CHECKPOINT float32|bfloat16 THREADS TASK ARGUMENT...
TASK is encode (picture sizes), prefill (tokens), decode (contexts) or answer."""

import sys
import time

import torch
from transformers import Qwen3VLForConditionalGeneration

import shapes

DECODE_TOKENS = 16


def _ids(tokens):
    return (torch.arange(tokens) * 61 % 50000)[None]


class Worker:
    """A loaded model and what is measured with it."""

    def __init__(self, checkpoint, kind):
        self._model = Qwen3VLForConditionalGeneration.from_pretrained(
            checkpoint, dtype=getattr(torch, kind)).eval()
        self._config = self._model.config

    def _picture(self, size):
        down, across = shapes.grid(size)
        pixels = torch.randn(down * across, shapes.PATCH_FLOATS).to(self._model.dtype)
        return pixels, torch.tensor([[1, down, across]])

    def encode(self, sizes):
        """Encodes pictures."""
        for size in sizes:
            pixels, grid = self._picture(size)
            seconds = shapes.timed(lambda: self._model.model.visual(pixels, grid_thw=grid))
            shapes.give(f"encode {size}", seconds, "s")

    def prefill(self, prompts):
        """Reads prompts."""
        for tokens in map(int, prompts):
            ids = _ids(tokens)
            seconds = shapes.timed(lambda: self._model(ids, use_cache=True, logits_to_keep=1))
            shapes.give(f"prefill {tokens}", tokens / seconds, "tokens/s")

    def decode(self, contexts):
        """Writes tokens behind contexts."""
        for context in map(int, contexts):
            cache = self._model(_ids(context), use_cache=True, logits_to_keep=1).past_key_values
            self._model(_ids(1), past_key_values=cache, use_cache=True)
            start = time.monotonic()
            for _ in range(DECODE_TOKENS):
                self._model(_ids(1), past_key_values=cache, use_cache=True)
            shapes.give(f"decode behind {context}", DECODE_TOKENS / (time.monotonic() - start),
                        "tokens/s")

    def answer(self, _):
        """Answers a question about a picture."""
        side = shapes.PICTURE_SIDE_PX
        pixels, grid = self._picture(f"{side}x{side}")
        config, tokens = self._config, len(pixels) // 4
        ids = torch.cat([torch.tensor([[config.vision_start_token_id]]),
                         torch.full((1, tokens), config.image_token_id),
                         torch.tensor([[config.vision_end_token_id]]),
                         _ids(shapes.QUESTION_TOKENS)], 1)
        start = time.monotonic()
        written = self._model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), pixel_values=pixels,
            image_grid_thw=grid, mm_token_type_ids=(ids == config.image_token_id).int(),
            do_sample=False, min_new_tokens=shapes.ANSWER_TOKENS,
            max_new_tokens=shapes.ANSWER_TOKENS)
        seconds = time.monotonic() - start
        assert written.shape[1] == ids.shape[1] + shapes.ANSWER_TOKENS
        shapes.give(f"whole answer, {shapes.ANSWER_TOKENS} tokens", seconds, "s")


def main(checkpoint, kind, threads, task, *arguments):
    """Does one task."""
    torch.set_num_threads(int(threads))
    torch.set_grad_enabled(False)
    getattr(Worker(checkpoint, kind), task)(arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
