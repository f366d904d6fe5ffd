"""Measures how far the reference's own float32 run is from the golden logits, and writes
tests/golden/reference_rms_error.json: the root mean square over all logits of each case, which,
unlike the largest error in case.json, hardly depends on luck.

Needs transformers 5.5.4 and torch. Run from the repository: python3 tools/golden/measure_reference_error.py
"""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import Qwen3VLForConditionalGeneration

GOLDEN = Path("tests/golden")


def inputs_of(case, image_token_id):
    ids = case["input_ids"][None]
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if "pixel_values" in case:
        inputs["pixel_values"] = case["pixel_values"]
        inputs["image_grid_thw"] = case["image_grid_thw"]
        inputs["mm_token_type_ids"] = (ids == image_token_id).int()
    return inputs


def rms_error(model, case):
    with torch.no_grad():
        logits = model(**inputs_of(case, model.config.image_token_id)).logits[0]
    return (logits.double() - case["logits"].double()).pow(2).mean().sqrt().item()


def main():
    errors = {}
    for family in ("tied", "untied"):
        model = Qwen3VLForConditionalGeneration.from_pretrained(
            GOLDEN / "data" / f"checkpoint_{family}", dtype=torch.float32, attn_implementation="eager"
        ).eval()
        for directory in sorted((GOLDEN / "data" / family).iterdir()):
            case = load_file(directory / "expected.safetensors")
            errors[f"{family}/{directory.name}"] = float(f"{rms_error(model, case):.4g}")
    (GOLDEN / "reference_rms_error.json").write_text(json.dumps(errors, indent=1) + "\n")


if __name__ == "__main__":
    main()
