"""Peers that are libraries: each measurement is a worker program of its own."""

import importlib.metadata
import json
import os
import sys

from processes import run

HERE = os.path.dirname(os.path.abspath(__file__))


def figures(text):
    """Returns what a worker gave: (phase, figure, unit) of each line that is JSON."""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [(line["phase"], line["figure"], line["unit"]) for line in lines]


def _version(package):
    return f"{package} {importlib.metadata.version(package)}"


def _work(worker, arguments, log, add):
    printed, _, peak = run([sys.executable, os.path.join(HERE, worker), *map(str, arguments)], log)
    for figure in figures(printed):
        add(*figure)
    return peak


class Transformers:
    """transformers on PyTorch; `kind` is float32 or bfloat16."""

    def __init__(self, name, kind, setup):
        self.name = name
        self._setup = setup
        self._kind = kind

    def versions(self):
        """Returns what is measured."""
        return [_version("transformers"), _version("torch")]

    def _task(self, task, arguments, add):
        return _work("torch_worker.py",
                     [self._setup.checkpoint, self._kind, self._setup.threads, task, *arguments],
                     self._setup.log(self.name), add)

    def encode(self, pictures, _, add):
        """Encodes each picture."""
        self._task("encode", pictures, add)

    def prefill(self, prompts, _, add):
        """Reads each prompt."""
        self._task("prefill", prompts, add)

    def decode(self, contexts, _, add):
        """Writes tokens behind each context."""
        self._task("decode", contexts, add)

    def serve(self, phases, _, add):
        """It serves nobody: one whole answer, and the memory for it."""
        if "answer" in phases:
            peak = self._task("answer", [], add)
            add("memory at most", peak / 1e9, "GB")


class EncoderOnly:
    """The picture encoder in ONNX Runtime or OpenVINO; `kind` is f32 or bf16."""

    def __init__(self, name, engine, kind, setup):
        self.name = name
        self._engine = engine
        self._arguments = [engine, kind, os.path.join(setup.work, "encoder"), setup.threads]
        self._log = setup.log(name)

    def versions(self):
        """Returns what is measured."""
        return [_version(self._engine)]

    def encode(self, pictures, _, add):
        """Encodes each picture."""
        _work("encoder_worker.py", [*self._arguments, *pictures], self._log, add)
