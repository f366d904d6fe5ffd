"""Second stage: the whole model learns to read, to look and to stop.

It starts from the tower of train_tower.py. Besides the answers it learns where to look for each
byte (network.guided_loss) and keeps the first stage's dense labels, so that gradients stay rich.
Exercises grow (batches.LEVELS) as soon as the current ones are mastered.
"""

import argparse
import os
import random
import time

import torch
import torch.nn.functional as F

import batches
import labels
import network
import training
import workers
from train_tower import CharacterHeads, class_loss, none_light, to_tensor

MASTERED = 0.85            # share of right bytes on text at which the next level starts
MASTERY_STEPS = 60         # over about so many batches
PROBE_STEPS = 50           # steps between two looks at the probe
TOWER_WAITS = 60           # first steps in which only the text model learns
GUIDED_WEIGHT, DENSE_WEIGHT, LINE_WEIGHT = 1.0, 3.0, 0.5


def arguments():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="folder; resumes its model.pt")
    parser.add_argument("--tower", help="tower.pt to start from when RUN/model.pt does not exist")
    parser.add_argument("--steps", type=int, required=True, help="batches in all")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--fall-from", type=float, default=0.5,
                        help="share of the steps after which the rate falls (cosine)")
    parser.add_argument("--deepstack-from", type=float, default=0.6,
                        help="share of the steps after which deepstack features join in")
    parser.add_argument("--level", type=int, help="start at this level of exercises")
    parser.add_argument("--top-level", type=int, default=len(batches.LEVELS) - 1,
                        help="highest level to reach")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pause-file", help="training sleeps while this file exists")
    return parser.parse_args()


class Trainer:
    """The state of a run and one step of it."""

    def __init__(self, args):
        self.args, self.path = args, os.path.join(args.run, "model.pt")
        self.model, self.heads = network.build(), CharacterHeads()
        tower, text = self.model.model.visual, self.model.model.language_model
        for merger in tower.deepstack_merger_list:      # silent until they are trained
            torch.nn.init.zeros_(merger.linear_fc2.weight)
            torch.nn.init.zeros_(merger.linear_fc2.bias)
        self.optimisers = training.Optimisers([self.model, self.heads],
                                              [tower.blocks, text.layers])
        self.step_count, self.level, self.mastery, spent = 0, args.level or 0, 0.0, 0.0
        if os.path.exists(self.path):
            state = self._load(self.path)
            self.step_count, spent = state["step"], state["spent"]
            self.level = state["level"] if args.level is None else args.level
            if state["optimisers"]:
                self.optimisers.load_state_dict(state["optimisers"])
        elif args.tower:
            state = torch.load(args.tower)
            self.heads.load_state_dict(state["heads"], strict=False)
            tower.load_state_dict({k[len("model.visual."):]: v for k, v in state["model"].items()
                                   if k.startswith("model.visual.") and "deepstack" not in k},
                                  strict=False)
        self.clock = training.Clock(args.pause_file, spent)
        self.weights = none_light(len(labels.CHARS))

    def _load(self, path):
        state = torch.load(path)
        self.model.load_state_dict(state["model"])
        self.heads.load_state_dict(state["heads"])
        return state

    def save(self):
        """Writes RUN/model.pt."""
        training.save(self.path, model=self.model.state_dict(), heads=self.heads.state_dict(),
                      optimisers=self.optimisers.state_dict(), step=self.step_count,
                      spent=self.clock.spent(), level=self.level)

    def done(self):
        """Share of the steps that are made."""
        return self.step_count / self.args.steps

    def rate(self):
        """A short warm-up, a plateau, a cosine down."""
        fall = (self.done() - self.args.fall_from) / (1 - self.args.fall_from)
        return min(1, (self.step_count + 1) / 100) * training.cosine(self.args.rate, fall, 0.02)

    def dense_losses(self, batch, seen):
        """The first stage's labels, read from the merged cells, and the lines' numbers."""
        targets = torch.from_numpy(batch.targets)
        if batch.kind == "shapes":
            return {"dense": self.heads.shape_loss(seen[1], targets)}
        b, n = targets.shape[:2]
        scores = self.heads.cell(seen[1]).view(b, n, labels.SLOTS, -1)
        return {"dense": class_loss(scores, targets[..., :labels.SLOTS], self.weights),
                "line": self.heads.line_loss(seen[1], targets[..., labels.SLOTS])}

    def losses(self, batch):
        """Forward pass: the answers' loss and share of right bytes, and the other losses."""
        height, width = batch.pictures.shape[1:3]
        ids, wanted = torch.from_numpy(batch.ids), torch.from_numpy(batch.labels)[:, 1:]
        deep = self.done() >= self.args.deepstack_from
        with torch.set_grad_enabled(self.step_count >= TOWER_WAITS):
            seen = network.see(self.model.model.visual, to_tensor(batch.pictures), deep)
        hidden, guided = network.read(self.model, ids, seen, height // network.CELL_PX,
                                      width // network.CELL_PX, torch.from_numpy(batch.pairs))
        asked = wanted != -100
        scores = network.logits(self.model, hidden[:, :-1][asked])
        right = (scores.argmax(-1) == wanted[asked]).float().mean()
        return ({"loss": F.cross_entropy(scores, wanted[asked]), "right": right,
                 **self.dense_losses(batch, seen)}, guided)

    def step(self, batch):
        """Learns from one batch; returns figures for the log."""
        figures, guided = self.losses(batch)
        whole = (figures["loss"] + DENSE_WEIGHT * figures["dense"]
                 + LINE_WEIGHT * figures.get("line", 0.0))
        if guided:
            whole = whole + GUIDED_WEIGHT * sum(guided.values()) / len(guided)
        whole.backward()
        self.optimisers.step(self.rate())
        self.step_count += 1
        if batch.kind == "text":
            self.mastery += (float(figures["right"]) - self.mastery) / MASTERY_STEPS
        return {f"{batch.kind}_{name}": float(value.detach())
                for name, value in (figures | guided).items()}

    @torch.no_grad()
    def look(self, probe):
        """A line of figures on batches that are never learned from."""
        out = []
        for name, batch in probe.items():
            figures, guided = self.losses(batch)
            figures |= {k: v for k, v in guided.items() if k.startswith("next")}
            out.append(f"{name} " + " ".join(f"{k} {float(v):.3f}" for k, v in figures.items()))
        return " | ".join(out)


def draw(rng, level):
    """Top-level, for the workers."""
    return batches.draw_batches(rng, level)


def draw_probe():
    """The same batches in every run: short lines, a few lines, full pages, shapes, a screen."""
    rng = random.Random("probe")
    pages = {f"level{i}": batches.draw_pages(rng, i)[0] for i in (1, 3, 4)}
    return pages | {"shapes": batches.draw_scenes(rng)[0],
                    "screen": batches.draw_screens(random.Random("probe"))}


def train(args):
    """Trains until the steps are made; resumes from RUN/model.pt."""
    os.makedirs(args.run, exist_ok=True)
    trainer, means = Trainer(args), training.Means()
    stream = workers.BatchStream(draw, args.seed * 7919 + trainer.step_count, args.workers,
                                 level=trainer.level)
    governor, stop = training.ThreadGovernor(), training.StopSignal()
    probe, told = draw_probe(), time.time()
    saved, pictures, waited = told, 0, 0.0
    while trainer.done() < 1 and not stop.asked:
        trainer.clock.wait_while_paused(stop)
        governor.adjust()
        begun = time.time()
        batch = stream.next()
        waited += time.time() - begun
        means.add(**trainer.step(batch))
        pictures += len(batch.pictures)
        if trainer.mastery > MASTERED and trainer.level < args.top_level:
            trainer.level, trainer.mastery = trainer.level + 1, 0.0
            stream.set_level(trainer.level)
        if trainer.step_count % PROBE_STEPS == 0:
            print(f"probe at step {trainer.step_count}: {trainer.look(probe)}", flush=True)
        now = time.time()
        if now - told > 20:
            print(f"{trainer.clock.spent() / 60:.1f} min step {trainer.step_count} level "
                  f"{trainer.level} {means.take()} rate {trainer.rate():.1e} "
                  f"{pictures / (now - told):.0f} pictures/s threads {torch.get_num_threads()} "
                  f"waited {waited / (now - told):.0%}", flush=True)
            told, pictures, waited = now, 0, 0.0
        if now - saved > 180:
            trainer.save()
            saved = now
    trainer.save()
    stream.close()


if __name__ == "__main__":
    torch.set_num_threads(2)
    train(arguments())
