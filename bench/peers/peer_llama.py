"""llama.cpp: its benchmark for text, its picture tool for pictures, its server for the rest."""

import json
import os
import re

import served
from processes import PeerError, Server, free_port, run

DECODE_TOKENS = 16
SLOT_TOKENS = 1024
ENCODED = re.compile(r"batch encoding done in (\d+) ms")


def encode_seconds(words):
    """Returns the seconds of the one picture that llama-mtmd-cli says it has encoded."""
    seconds = [int(ms) / 1e3 for ms in ENCODED.findall(words)]
    if len(seconds) != 1:
        raise PeerError(f"llama-mtmd-cli tells of {len(seconds)} encoded pictures instead of one")
    return seconds[0]


def bench_rates(text):
    """Returns the rates in what `llama-bench -o json` printed, by (prompt, written, depth)."""
    return {(test["n_prompt"], test["n_gen"], test["n_depth"]):
            1e9 * (test["n_prompt"] + test["n_gen"]) / test["avg_ns"] for test in json.loads(text)}


class Llama:
    """`kind` is the number format of the weights."""

    # The picture encoder's file: of the same kind where the converter makes one.
    ENCODERS = {"f32": "f32", "bf16": "bf16", "q8_0": "q8_0", "q4_k_m": "f16"}

    def __init__(self, name, kind, setup):
        self.name = name
        self._setup = setup
        self._kind = kind
        self._tools = os.path.join(setup.work, "llama.cpp", "build", "bin")
        self._model = self._gguf(f"model-{kind}.gguf")
        self._encoder = self._gguf(f"mmproj-{self.ENCODERS[kind]}.gguf")
        # Its default of half floats is faster; whole ones only where all is float32.
        self._common = ["-t", str(setup.threads), "-fa", "on"] + \
            (["-ctk", "f32", "-ctv", "f32"] if kind == "f32" else [])

    def versions(self):
        """Returns what is measured."""
        with open(os.path.join(self._setup.work, "llama.cpp", "VERSION")) as file:
            return [file.read().strip()]

    def _gguf(self, name):
        return os.path.join(self._setup.work, "gguf", name)

    def _tool(self, name):
        return os.path.join(self._tools, name)

    def encode(self, pictures, round_number, add):
        """Encodes each picture in a run of its own, so that none is joined with another. The text
        model behind the encoder is the smallest, since its work isn't timed."""
        for size in pictures:
            _, words, _ = run([
                self._tool("llama-mtmd-cli"), "-m", self._gguf("model-q4_k_m.gguf"), "--mmproj",
                self._encoder, "--image", self._setup.picture(size, round_number), "-p",
                "What is this?", "-n", "1", "-c", "4096", "--temp", "0", "--chat-template",
                "chatml", "-lv", "4", *self._common
            ], self._setup.log(self.name))
            add(f"encode {size}", encode_seconds(words), "s")

    def _bench(self, *options):
        printed, _, _ = run([self._tool("llama-bench"), "-m", self._model, "-r", "1", "-o", "json",
                             *options, *self._common], self._setup.log(self.name))
        return bench_rates(printed)

    def prefill(self, prompts, _, add):
        """Reads each prompt once, after its own warm-up."""
        rates = self._bench("-p", ",".join(map(str, prompts)), "-n", "0")
        for tokens in prompts:
            add(f"prefill {tokens}", rates[tokens, 0, 0], "tokens/s")

    def decode(self, contexts, _, add):
        """Writes tokens behind each context."""
        rates = self._bench("-p", "0", "-n", str(DECODE_TOKENS), "-d", ",".join(map(str, contexts)))
        for context in contexts:
            add(f"decode behind {context}", rates[0, DECODE_TOKENS, context], "tokens/s")

    def serve(self, phases, round_number, add):
        """Answers over HTTP, with its prefix cache."""
        port, slots = free_port(), served.most_clients(phases)
        command = [self._tool("llama-server"), "-m", self._model, "--mmproj", self._encoder,
                   "--port", str(port), "-np", str(slots), "-c", str(slots * SLOT_TOKENS),
                   "--chat-template", "chatml", *self._common]
        with Server(command, port, "/health", self._setup.log(self.name)) as server:
            served.measure(server, phases, round_number * 1000, add)
