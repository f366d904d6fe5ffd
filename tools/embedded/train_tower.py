"""First stage: teaches the vision tower alone which character stands in which patch.

Each picture gives tens of labels at places that are known, which is worth far more per second
than answers alone. The classes are read both from the patches and, linearly, from the merged
cells that the text model will see, so that the text model later only has to copy.
"""

import argparse
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

import draw_shapes
import draw_text
import labels
import network
import training
import workers

SHAPES = [(32, 160), (48, 192), (48, 256), (64, 256), (96, 192), (64, 320), (112, 256), (144, 240)]
SCENE_SHAPES = [(48, 96), (64, 128), (96, 128), (96, 192), (128, 128), (128, 208)]
SCENE_SHARE = 0.15
PATCHES_PER_BATCH = 4800
NONE_WEIGHT = 0.25


class CharacterHeads(torch.nn.Module):
    """Linear readers of character classes from patches and from merged cells."""

    def __init__(self, width=192, out=192):
        super().__init__()
        classes = labels.SLOTS * len(labels.CHARS)
        self.patch = torch.nn.Linear(width, classes)
        self.cell = torch.nn.Linear(out, network.MERGE ** 2 * classes)
        self.shape = torch.nn.Linear(out, network.MERGE ** 2 * sum(labels.SHAPE_CLASSES))
        self.rank = torch.nn.Linear(out, network.MERGE ** 2 * labels.RANK_CLASSES)
        self.line = torch.nn.Linear(out, network.MERGE ** 2 * labels.LINE_CLASSES)

    def shape_loss(self, cell_features, targets):
        """Cross entropy of colour, shape name and rank per patch; targets (B, N, 3)."""
        b, n = targets.shape[:2]
        parts = self.shape(cell_features).view(b, n, -1).split(labels.SHAPE_CLASSES, -1)
        parts += (self.rank(cell_features).view(b, n, -1),)
        return sum(class_loss(part, targets[..., i], none_light(part.shape[-1]))
                   for i, part in enumerate(parts))

    def line_loss(self, cell_features, targets):
        """Cross entropy of the line number of each patch; targets (B, N)."""
        scores = self.line(cell_features).view(*targets.shape, -1)
        return class_loss(scores, targets, none_light(scores.shape[-1]))

    def forward(self, patch_features, cell_features):
        """Returns two (B, N, SLOTS, classes) score tensors."""
        b, n = patch_features.shape[:2]
        return (self.patch(patch_features).view(b, n, labels.SLOTS, -1),
                self.cell(cell_features).view(b, n, labels.SLOTS, -1))


def draw(rng, _):
    """One batch, for the workers."""
    return [make_batch(rng)]


def make_batch(rng):
    """One batch of one size: (kind, pictures uint8 (B,H,W,3), targets of that kind)."""
    if rng.random() < SCENE_SHARE:
        return ("shapes", *make_scenes(rng))
    height, width = rng.choice(SHAPES)
    count = max(4, PATCHES_PER_BATCH // ((height // 8) * (width // 8)))
    options = draw_text.TextOptions(full=True, noise_share=0.3, min_px=13, max_px=36)
    pages = [draw_text.draw_page(rng, height, width, options) for _ in range(count)]
    targets = [labels.character_targets(p.marks, height, width) for p in pages]
    return "text", np.stack([p.picture for p in pages]), np.stack(targets)


def make_scenes(rng):
    """A smaller batch of shapes: (pictures, targets (B,N,3))."""
    height, width = rng.choice(SCENE_SHAPES)
    count = max(4, PATCHES_PER_BATCH // 2 // ((height // 8) * (width // 8)))
    scenes = [draw_shapes.draw_scene(rng, height, width) for _ in range(count)]
    targets = [labels.shape_targets(s, height, width) for s in scenes]
    return np.stack([s.picture for s in scenes]), np.stack(targets)


def to_tensor(pictures):
    """uint8 (B,H,W,3) to float (B,3,H,W) in [-1, 1], as the preprocessor does."""
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 127.5 - 1


def none_light(classes):
    """Class weights under which the empty patches, the great majority, count less."""
    weights = torch.ones(classes)
    weights[0] = NONE_WEIGHT
    return weights


def class_loss(scores, targets, weights):
    """Weighted cross entropy over all slots."""
    return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1), weights)


@torch.no_grad()
def recall(scores, targets):
    """Share of printed characters whose class comes first."""
    printed = targets > 0
    return (scores.argmax(-1)[printed] == targets[printed]).float().mean()


def arguments():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="folder of checkpoints and log")
    parser.add_argument("--steps", type=int, required=True, help="batches in all")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pause-file", help="training sleeps while this file exists")
    return parser.parse_args()


def train(args):
    """Trains until the steps are made; resumes from RUN/tower.pt."""
    os.makedirs(args.run, exist_ok=True)
    path = os.path.join(args.run, "tower.pt")
    model, heads = network.build(), CharacterHeads()
    tower = model.model.visual
    optimisers = training.Optimisers([tower, heads], tower.blocks)
    step, spent = 0, 0.0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        heads.load_state_dict(state["heads"], strict=False)
        if state["optimisers"]:
            optimisers.load_state_dict(state["optimisers"])
        step, spent = state["step"], state["spent"]
    weights = none_light(len(labels.CHARS))
    stream = workers.BatchStream(draw, args.seed * 7919 + step, args.workers)
    clock, means = training.Clock(args.pause_file, spent), training.Means()
    governor, stop = training.ThreadGovernor(), training.StopSignal()
    told = saved = time.time()
    waited = pictures_seen = 0.0

    def checkpoint():
        training.save(path, model=model.state_dict(), heads=heads.state_dict(),
                      optimisers=optimisers.state_dict(), step=step, spent=clock.spent())

    while step < args.steps and not stop.asked:
        clock.wait_while_paused(stop)
        governor.adjust()
        begun = time.time()
        kind, pictures, targets = stream.next()
        waited += time.time() - begun
        targets = torch.from_numpy(targets)
        fall = (step / args.steps - 0.3) / 0.7
        rate = min(1, (step + 1) / 150) * training.cosine(args.rate, fall)
        patch_features, cell_features, _ = network.see(tower, to_tensor(pictures), deep=False)
        if kind == "shapes":
            loss = heads.shape_loss(cell_features, targets)
            means.add(shapes=loss.detach())
        else:
            patch_scores, cell_scores = heads(patch_features, cell_features)
            cell_loss = class_loss(cell_scores, targets, weights)
            loss = class_loss(patch_scores, targets, weights) + cell_loss
            means.add(loss=cell_loss.detach(), patch=recall(patch_scores, targets),
                      cell=recall(cell_scores, targets))
        loss.backward()
        optimisers.step(rate)
        step += 1
        pictures_seen += len(pictures)
        now = time.time()
        if now - told > 20:
            print(f"{clock.spent() / 60:.1f} min step {step} {means.take()} rate {rate:.1e} "
                  f"{pictures_seen / (now - told):.0f} pictures/s "
                  f"threads {torch.get_num_threads()} "
                  f"waited {waited / (now - told):.0%}", flush=True)
            told, waited, pictures_seen = now, 0.0, 0.0
        if now - saved > 240:
            checkpoint()
            saved = now
    checkpoint()
    stream.close()


if __name__ == "__main__":
    torch.set_num_threads(2)
    train(arguments())
