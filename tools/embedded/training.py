"""What both training programs share: the optimiser, the rate, checkpoints, the pause switch."""

import math
import os
import signal
import time

import torch


class Muon(torch.optim.Optimizer):
    """Momentum whose matrix updates are made orthogonal (Newton-Schulz), scaled to AdamW's size.

    Same as torch.optim.Muon but in float32 and batched over matrices of one shape: on CPUs
    without matrix units bfloat16 is the slower type.
    """

    def __init__(self, parameters, lr=1e-3, momentum=0.95, weight_decay=0.02):
        super().__init__(parameters, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        """One update of every parameter that has a gradient."""
        for group in self.param_groups:
            shapes = {}
            for p in group["params"]:
                if p.grad is not None:
                    shapes.setdefault(tuple(p.shape), []).append(p)
            for shape, same in shapes.items():
                self._step_shape(group, shape, same)

    def _step_shape(self, group, shape, same):
        updates = []
        for p in same:
            state = self.state[p]
            if "buffer" not in state:
                state["buffer"] = torch.zeros_like(p)
            state["buffer"].lerp_(p.grad, 1 - group["momentum"])
            updates.append(p.grad.lerp(state["buffer"], group["momentum"]))
        scale = 0.2 * math.sqrt(max(shape)) * group["lr"]
        for p, update in zip(same, orthogonal(torch.stack(updates))):
            p.mul_(1 - group["lr"] * group["weight_decay"]).add_(update, alpha=-scale)


def orthogonal(stack):
    """Nearest orthogonal matrices, roughly: five quintic Newton-Schulz steps (Jordan, 2024)."""
    wide = stack.shape[-1] >= stack.shape[-2]
    x = stack if wide else stack.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.mT
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x if wide else x.mT


MATRIX_RATE = 2.0      # rate of Muon's matrices over that of the rest


class Optimisers:
    """Muon for the matrices inside blocks, AdamW for everything else."""

    def __init__(self, modules, blocks):
        """modules: all that is trained; blocks: the parts whose matrices Muon takes."""
        self.parameters = [p for m in modules for p in m.parameters() if p.requires_grad]
        matrices = [p for b in blocks for p in b.parameters() if p.ndim == 2]
        chosen = {id(p) for p in matrices}
        rest = [p for p in self.parameters if id(p) not in chosen]
        self.parts = [torch.optim.AdamW(rest, betas=(0.9, 0.98), weight_decay=0.0, foreach=True),
                      Muon(matrices)]

    def step(self, rate):
        """Clips, applies and clears the gradients."""
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for part, factor in zip(self.parts, (1.0, MATRIX_RATE)):
            for group in part.param_groups:
                group["lr"] = rate * factor
            part.step()
            part.zero_grad(set_to_none=True)

    def state_dict(self):
        """States of the parts, in order."""
        return [part.state_dict() for part in self.parts]

    def load_state_dict(self, states):
        """Restores what state_dict() gave."""
        for part, state in zip(self.parts, states):
            part.load_state_dict(state)


def cosine(peak, done, floor=0.03):
    """Rate after a share (0-1) of the way down."""
    return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, max(0.0, done)))))


def save(path, **state):
    """Writes a checkpoint so that a crash never leaves half a file."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


class Clock:
    """Seconds spent training; time spent paused does not count."""

    def __init__(self, pause_file=None, spent=0.0):
        self._pause_file, self._spent, self._mark = pause_file, spent, time.time()

    def spent(self):
        """Seconds so far, with those of earlier runs."""
        return self._spent + time.time() - self._mark

    def wait_while_paused(self, stop):
        """Sleeps while the pause file exists and stop is not asked for."""
        if not self._pause_file or not os.path.exists(self._pause_file):
            return
        self._spent = self.spent()
        while os.path.exists(self._pause_file) and not stop.asked:
            time.sleep(1)
        self._mark = time.time()


class StopSignal:
    """Turns SIGTERM and SIGINT into a flag, so that a training that is ended still saves."""

    def __init__(self):
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, *_):
        self.asked = True


class Means:
    """Running means of named figures for the log."""

    def __init__(self):
        self._sums, self._counts = {}, {}

    def add(self, **figures):
        """Takes one value of each figure."""
        for name, value in figures.items():
            self._sums[name] = self._sums.get(name, 0.0) + float(value)
            self._counts[name] = self._counts.get(name, 0) + 1

    def take(self):
        """'name value' of every figure, and starts anew."""
        text = " ".join(f"{n} {self._sums[n] / self._counts[n]:.4f}" for n in self._sums)
        self._sums, self._counts = {}, {}
        return text


class ThreadGovernor:
    """Two threads while the machine is ours, one while others compute.

    A step in two threads waits for the slower one; beside a busy neighbour of higher priority that
    is far slower than one thread on the free core.
    """

    def __init__(self, seconds=3.0, limit=0.35):
        self._seconds, self._limit = seconds, limit
        self._last, self._at = self._busy(), time.time()

    @staticmethod
    def _busy():
        """Core seconds spent so far by everything that is not niced."""
        with open("/proc/stat", encoding="ascii") as file:
            fields = file.readline().split()
        ticks = int(fields[1]) + int(fields[3]) + int(fields[6]) + int(fields[7])
        return ticks / os.sysconf("SC_CLK_TCK")

    def adjust(self):
        """Call at every step; looks at the machine every few seconds."""
        now = time.time()
        if now - self._at < self._seconds:
            return
        busy = self._busy()
        torch.set_num_threads(1 if (busy - self._last) / (now - self._at) > self._limit else 2)
        self._last, self._at = busy, now
