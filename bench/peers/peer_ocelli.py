"""Ocelli itself, through its own commands."""

import json
import os
import subprocess

import served
from processes import Server, free_port, run
from shapes import PICTURE_SIDE_PX

DECODE_REPEATS = 16


def phase_seconds(text):
    """Returns the seconds of each phase that `ocelli bench --profile --json` printed."""
    return {phase["phase"]: phase["seconds"] for phase in json.loads(text)["phases"]}


class Ocelli:
    """`weights` as ocelli takes it; None leaves its own choice."""

    def __init__(self, name, weights, setup):
        self.name = name
        self._setup = setup
        # Packed weights are kept beside the other peers' files.
        self._env = os.environ | {"XDG_CACHE_HOME": os.path.join(setup.work, "cache")}
        self._model = ["--model", setup.checkpoint, "--threads", str(setup.threads)]
        if weights:
            self._model += ["--weights", weights]

    def versions(self):
        """Returns what is measured."""
        return ["ocelli " + subprocess.run([self._setup.ocelli, "--version"], capture_output=True,
                                           text=True, check=True).stdout.strip()]

    def _profile(self, pictures, prompts, context, repeats):
        printed, _, _ = run([
            self._setup.ocelli, "bench", "--profile", "--json", "--pictures",
            ",".join(pictures) or "none", "--prompt-tokens", ",".join(map(str, prompts)),
            "--context", str(context), "--repeats", str(repeats), *self._model
        ], self._setup.log(self.name), self._env)
        return phase_seconds(printed)

    def encode(self, pictures, _, add):
        """Encodes each picture once, after once to warm up."""
        seconds = self._profile(pictures, [1], 0, 1)
        for size in pictures:
            add(f"encode {size}", seconds[f"encode {size}"], "s")

    def prefill(self, prompts, _, add):
        """Reads each prompt once, after once to warm up."""
        seconds = self._profile([], prompts, 0, 1)
        for tokens in prompts:
            add(f"prefill {tokens}", tokens / seconds[f"prefill {tokens} tokens"], "tokens/s")

    def decode(self, contexts, _, add):
        """Writes tokens behind each context."""
        for context in contexts:
            seconds = self._profile([], [1], context, DECODE_REPEATS)
            add(f"decode behind {context}", 1 / seconds[f"decode behind {context} tokens"],
                "tokens/s")

    def serve(self, phases, round_number, add):
        """Answers over HTTP."""
        port = free_port()
        # The others round a picture's sides up where half a token is left; so many pixels at least
        # make it the same number of tokens here.
        command = [self._setup.ocelli, "serve", "--port", str(port), "--speculate", "0",
                   "--min-pixels", str(PICTURE_SIDE_PX**2), *self._model]
        with Server(command, port, "/ready", self._setup.log(self.name), self._env) as server:
            served.measure(server, phases, round_number * 1000, add)
