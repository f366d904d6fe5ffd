"""Writes the picture encoder of a checkpoint as ONNX and as OpenVINO's form, for pictures of any
size: encoder_export.py CHECKPOINT FOLDER."""

import os
import sys

import openvino
import torch
import torch.nn.functional as F
from safetensors import safe_open
from transformers import Qwen3VLConfig
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLVisionModel

import shapes

PREFIX = "model.visual."


def load(checkpoint):
    """Returns the encoder of `checkpoint` in float32."""
    config = Qwen3VLConfig.from_pretrained(checkpoint).vision_config
    config._attn_implementation = "sdpa"  # pylint: disable=protected-access
    model = Qwen3VLVisionModel(config).eval()
    with safe_open(os.path.join(checkpoint, "model.safetensors"), "pt") as file:
        model.load_state_dict({name[len(PREFIX):]: file.get_tensor(name).float()
                               for name in file.keys() if name.startswith(PREFIX)})
    return model


def _turned(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Encoder(torch.nn.Module):
    """The encoder of one picture, its position tables given: nothing in it depends on the grid."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.heads = model.config.num_heads
        self.deepstack = model.config.deepstack_visual_indexes

    def _attend(self, attention, x, cos, sin):
        rows, width = x.shape
        q, k, v = attention.qkv(x).reshape(rows, 3, self.heads, -1).permute(1, 2, 0, 3).unbind(0)
        heads = F.scaled_dot_product_attention(_turned(q, cos, sin)[None],
                                               _turned(k, cos, sin)[None], v[None])[0]
        return attention.proj(heads.transpose(0, 1).reshape(rows, width))

    def forward(self, patches, places, cos, sin):
        """Returns the features of the picture and those of the deepstack layers."""
        embed = self.model.patch_embed.proj
        x = F.linear(patches, embed.weight.flatten(1), embed.bias) + places
        features = []
        for i, block in enumerate(self.model.blocks):
            x = x + self._attend(block.attn, block.norm1(x), cos, sin)
            x = x + block.mlp(block.norm2(x))
            if i in self.deepstack:
                merger = self.model.deepstack_merger_list[self.deepstack.index(i)]
                features.append(merger(x))
        return (self.model.merger(x), *features)


def inputs(model, size):
    """Returns patches and position tables of a picture of `size`."""
    down, across = shapes.grid(size)
    grid = torch.tensor([[1, down, across]])
    angles = torch.cat([model.rot_pos_emb(grid)] * 2, -1)
    return (torch.randn(down * across, shapes.PATCH_FLOATS),
            model.fast_pos_embed_interpolate(grid), angles.cos(), angles.sin())


def main(checkpoint, folder):
    """Writes both files, after a check of the encoder against transformers' own."""
    os.makedirs(folder, exist_ok=True)
    model = load(checkpoint)
    encoder, example = Encoder(model).eval(), inputs(model, "96x64")
    own = model(example[0], grid_thw=torch.tensor([[1, *shapes.grid("96x64")]])).pooler_output
    torch.testing.assert_close(encoder(*example)[0], own, rtol=1e-3, atol=1e-4)
    rows = {0: torch.export.Dim("quads", min=2, max=4096) * 4}
    torch.onnx.export(encoder, example, os.path.join(folder, "encoder.onnx"), dynamo=True,
                      external_data=True, verbose=False, dynamic_shapes=(rows,) * 4,
                      input_names=["patches", "places", "cos", "sin"])
    form = openvino.convert_model(encoder, example_input=example,
                                  input=[openvino.PartialShape([-1, *x.shape[1:]])
                                         for x in example])
    openvino.save_model(form, os.path.join(folder, "encoder.xml"), compress_to_fp16=False)


if __name__ == "__main__":
    with torch.no_grad():
        main(*sys.argv[1:])
