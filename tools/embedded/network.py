"""The model: its configuration, its first weights, and a fast batched forward pass.

The modules are transformers' own Qwen3VLForConditionalGeneration; only the walk through them is
ours. All pictures of a batch have one size, so there are no masks and no ragged sequences, which
makes a training step several times faster than the stock forward. evaluate.py checks that both
give the same answers.
"""

import functools
import math

import torch
import torch.nn.functional as F
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

from tokens import END, PAD, PREFIX_TOKENS, SPECIAL, VOCAB_SIZE

PATCH_PX = 8        # half the published size: a letter of ordinary type gets patches of its own
MERGE = 2
CELL_PX = PATCH_PX * MERGE


def configuration():
    """A small Qwen3-VL; every key has its published meaning."""
    vision = dict(
        depth=5, hidden_size=192, intermediate_size=576, num_heads=6, patch_size=PATCH_PX,
        spatial_merge_size=MERGE, temporal_patch_size=2, out_hidden_size=192,
        num_position_embeddings=576, deepstack_visual_indexes=[1, 2, 3])
    rope = dict(rope_type="default", rope_theta=10000.0, mrope_section=[12, 10, 10],
                mrope_interleaved=True)
    text = dict(
        vocab_size=VOCAB_SIZE, hidden_size=192, intermediate_size=448, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, head_dim=64, max_position_embeddings=8192,
        rms_norm_eps=1e-6, tie_word_embeddings=True, attention_bias=False, bos_token_id=PAD,
        eos_token_id=END, rope_parameters=rope)
    return Qwen3VLConfig(
        text_config=text, vision_config=vision, image_token_id=SPECIAL["<|image_pad|>"],
        video_token_id=SPECIAL["<|video_pad|>"], vision_start_token_id=SPECIAL["<|vision_start|>"],
        vision_end_token_id=SPECIAL["<|vision_end|>"], tie_word_embeddings=True)


# Per vision layer, the neighbour (rows, columns) that each head looks at before training; None
# leaves a head free. A letter spreads over neighbouring patches, so the tower starts out as a
# small convolutional network and need not discover that neighbours matter.
NEIGHBOURS = [
    [(0, -1), (0, 1), (-1, 0), (1, 0), (0, 2), None],
    [(0, -1), (0, 1), (-1, 0), (1, 0), (0, -2), None],
    [(0, -1), (0, 1), (-2, 0), (2, 0), (0, 2), None],
    [(0, -2), (0, 2), (-1, 0), (1, 0), (0, -3), None],
    [(0, -1), (0, 1), (0, -3), None, None, None],
]
# Sharpness per rotary frequency, highest first: one step away costs about 4 nats of attention. High
# frequencies alone come round again some 6 and 20 patches away; the low ones keep a head near on
# pictures of any size.
SHARPNESS = [8.0, 4.0, 3.0, 6.0]


def aim_heads(tower, sharpness=tuple(SHARPNESS)):
    """Adds query and key biases with which rotary attention prefers the patches of NEIGHBOURS."""
    heads = tower.config.num_heads
    dim = tower.config.hidden_size // heads
    quarter = dim // 4
    rates = tower.rotary_pos_emb.inv_freq
    for block, offsets in zip(tower.blocks, NEIGHBOURS):
        bias = block.attn.qkv.bias.data.view(3, heads, dim)
        for head, offset in enumerate(offsets):
            if offset is None:
                continue
            for axis in range(2):
                for i, nats in enumerate(sharpness):
                    size, turn = math.sqrt(nats * math.sqrt(dim)), offset[axis] * rates[i]
                    low, high = axis * quarter + i, axis * quarter + i + dim // 2
                    bias[1, head, low] += size
                    bias[0, head, low] += size * math.cos(turn)
                    bias[0, head, high] += size * math.sin(turn)


def build(seed=0):
    """A new model with aimed vision heads, quiet deepstack and no absolute position to unlearn."""
    torch.manual_seed(seed)
    model = Qwen3VLForConditionalGeneration(configuration())
    tower = model.model.visual
    for block in tower.blocks:
        block.attn.qkv.bias.data.zero_()
    aim_heads(tower)
    tower.pos_embed.weight.data.mul_(0.1)
    for merger in tower.deepstack_merger_list:
        merger.linear_fc2.weight.data.mul_(0.1)
    return model


def rotate_half(x):
    """The rotary helper of the published model."""
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def patches(pictures):
    """(B, 3, H, W) in [-1, 1] -> (B, N, 3*p*p), patches in merge order."""
    b, c, height, width = pictures.shape
    h, w, p, m = height // PATCH_PX, width // PATCH_PX, PATCH_PX, MERGE
    x = pictures.view(b, c, h // m, m, p, w // m, m, p).permute(0, 2, 5, 3, 6, 1, 4, 7)
    return x.reshape(b, h * w, c * p * p)


_ROTARY = {}


def rotary(tower, h, w):
    """cos and sin of a grid; kept, since few grids occur."""
    if (h, w) not in _ROTARY:
        angles = tower.rot_pos_emb(torch.tensor([[1, h, w]]))
        angles = torch.cat((angles, angles), -1)
        _ROTARY[h, w] = angles.cos(), angles.sin()
    return _ROTARY[h, w]


def attend(block, x, cos, sin):
    """One vision attention over all patches of each picture."""
    b, n, width = x.shape
    heads = block.attn.num_heads
    qkv = block.attn.qkv(x).view(b, n, 3, heads, width // heads)
    q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
    q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
    mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, width)
    return block.attn.proj(mixed)


def see(tower, pictures, deep=True):
    """Returns (patch features (B,N,C), cell features (B,N/4,out), list of deepstack features)."""
    b, _, height, width = pictures.shape
    h, w = height // PATCH_PX, width // PATCH_PX
    # A still picture is two equal frames, so the two temporal slices of the kernel just add up.
    kernel = tower.patch_embed.proj.weight.sum(2).flatten(1)
    x = F.linear(patches(pictures), kernel, tower.patch_embed.proj.bias)
    x = x + tower.fast_pos_embed_interpolate(torch.tensor([[1, h, w]]))
    cos, sin = rotary(tower, h, w)
    taken, indexes = [], tower.config.deepstack_visual_indexes
    for i, block in enumerate(tower.blocks):
        x = x + attend(block, block.norm1(x), cos, sin)
        x = x + block.mlp(block.norm2(x))
        if deep and i in indexes:
            merger = tower.deepstack_merger_list[indexes.index(i)]
            taken.append(merger(x.reshape(b * h * w, -1)).view(b, h * w // 4, -1))
    return x, tower.merger(x.reshape(b * h * w, -1)).view(b, h * w // 4, -1), taken


@functools.lru_cache(512)
def positions(rows, columns, total):
    """M-RoPE ids (3, total): the frame's text, one picture of rows x columns cells, then text."""
    before = torch.arange(PREFIX_TOKENS).expand(3, -1)
    cells = rows * columns
    picture = torch.stack((
        torch.full((cells,), PREFIX_TOKENS),
        torch.arange(rows).repeat_interleave(columns) + PREFIX_TOKENS,
        torch.arange(columns).repeat(rows) + PREFIX_TOKENS))
    after = torch.arange(total - PREFIX_TOKENS - cells) + PREFIX_TOKENS + max(rows, columns)
    return torch.cat((before, picture, after.expand(3, -1)), 1)


def add_to_cells(x, features):
    """Adds picture features at the picture's places."""
    end = PREFIX_TOKENS + features.shape[1]
    return torch.cat((x[:, :PREFIX_TOKENS], x[:, PREFIX_TOKENS:end] + features, x[:, end:]), 1)


# Text layers whose attention is taught: what each looks for (True: the next byte's cell).
GUIDED_LAYERS = {1: (True, False), 2: (True, False), 3: (True,)}


def guided_loss(q, k, pairs, ahead):
    """Cross entropy of one head's attention against the cell that an answer byte was read from.

    Head 0 of a guided layer learns to look at the cell of the byte to come (ahead), the first
    head of the next key group at the cell of the byte just written. q (B, heads, T, d),
    k (B, kv_heads, T, d); pairs (M, 3): picture in batch, token that predicts, its right cell.
    """
    group = 0 if ahead else 1
    head = group * (q.shape[1] // k.shape[1])
    rows, at = pairs[:, 0], pairs[:, 1] + (0 if ahead else 1)
    scores = torch.einsum("md,mtd->mt", q[rows, head, at], k[rows, group]) / math.sqrt(q.shape[-1])
    later = torch.arange(k.shape[2])[None] > at[:, None]
    return F.cross_entropy(scores.masked_fill(later, -1e9), pairs[:, 2])


def read(model, ids, seen, rows, columns, pairs=None):
    """Text model over ids (B, T) with the picture's cells in place.

    seen is what see() returned. Returns (hidden states (B,T,C), guided attention losses by name).
    """
    text, config = model.model.language_model, model.config.text_config
    _, cells, deep = seen
    b, t = ids.shape
    x = text.embed_tokens(ids)
    end = PREFIX_TOKENS + cells.shape[1]
    x = torch.cat((x[:, :PREFIX_TOKENS], cells, x[:, end:]), 1)
    cos, sin = text.rotary_emb(x, positions(rows, columns, t)[:, None])
    cos, sin = cos[:, None], sin[:, None]
    heads, kv_heads, dim = (config.num_attention_heads, config.num_key_value_heads, config.head_dim)
    guided = {}
    for i, layer in enumerate(text.layers):
        attention, h = layer.self_attn, layer.input_layernorm(x)
        q = attention.q_norm(attention.q_proj(h).view(b, t, heads, dim)).transpose(1, 2)
        k = attention.k_norm(attention.k_proj(h).view(b, t, kv_heads, dim)).transpose(1, 2)
        v = attention.v_proj(h).view(b, t, kv_heads, dim).transpose(1, 2)
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        if pairs is not None and len(pairs):
            for ahead in GUIDED_LAYERS.get(i, ()):
                guided[f"{'next' if ahead else 'last'}{i}"] = guided_loss(q, k, pairs, ahead)
        k = k.repeat_interleave(heads // kv_heads, 1)
        v = v.repeat_interleave(heads // kv_heads, 1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + attention.o_proj(mixed.transpose(1, 2).reshape(b, t, -1))
        x = x + layer.mlp(layer.post_attention_layernorm(x))
        if i < len(deep):
            x = add_to_cells(x, deep[i])
    return text.norm(x), guided


def logits(model, hidden):
    """Scores of the next token (tied to the embedding)."""
    return F.linear(hidden, model.model.language_model.embed_tokens.weight)


@torch.no_grad()
def generate(model, prompts, pictures, most):
    """Greedy answers (token lists without the end) to equal-length prompts; (B,3,H,W) pictures."""
    rows, columns = pictures.shape[2] // CELL_PX, pictures.shape[3] // CELL_PX
    seen = see(model.model.visual, pictures)
    ids = torch.tensor(prompts)
    start, done = ids.shape[1], torch.zeros(len(ids), dtype=torch.bool)
    for _ in range(most):
        hidden, _ = read(model, ids, seen, rows, columns)
        best = logits(model, hidden[:, -1]).argmax(-1)
        ids = torch.cat((ids, best[:, None]), 1)
        done |= (best == END) | (best == PAD)
        if done.all():
            break
    answers = []
    for row in ids[:, start:].tolist():
        stops = [i for i, token in enumerate(row) if token in (END, PAD)]
        answers.append(row[:stops[0]] if stops else row)
    return answers
