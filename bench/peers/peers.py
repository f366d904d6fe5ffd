"""Ocelli beside other programs on this machine, in turn: peers.py --work WORK [OPTIONS].

Run it with the Python of the environment that setup.sh made; README.md says what is compared."""

import argparse
import os
import sys

import chat
import table
from peer_llama import Llama
from peer_ocelli import Ocelli
from peer_python import EncoderOnly, Transformers
from processes import PeerError

REFERENCE = "ocelli"
PEERS = {
    "ocelli": (Ocelli, None),
    "ocelli-bf16": (Ocelli, "bf16"),
    "llama-f32": (Llama, "f32"),
    "llama-bf16": (Llama, "bf16"),
    "llama-q8_0": (Llama, "q8_0"),
    "llama-q4_k_m": (Llama, "q4_k_m"),
    "transformers-f32": (Transformers, "float32"),
    "transformers-bf16": (Transformers, "bfloat16"),
    "onnxruntime-f32": (EncoderOnly, "onnxruntime", "f32"),
    "openvino-f32": (EncoderOnly, "openvino", "f32"),
    "openvino-bf16": (EncoderOnly, "openvino", "bf16"),
}
INSTRUCTIONS = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")


class Setup:
    """What all peers share."""

    def __init__(self, options):
        self.work = os.path.abspath(options.work)
        self.ocelli = os.path.abspath(options.ocelli)
        self.threads = options.threads
        self.checkpoint = os.path.join(self.work, "checkpoint")

    def log(self, peer):
        """Returns the file of what a peer says beside its figures."""
        os.makedirs(os.path.join(self.work, "logs"), exist_ok=True)
        return os.path.join(self.work, "logs", f"{peer}.log")

    def picture(self, size, seed):
        """Returns a file with a picture of `size` that only this seed has."""
        path = os.path.join(self.work, "pictures", f"{size}-{seed}.png")
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(chat.png(*map(int, size.split("x")), seed))
        return path


def _names(text):
    return [] if text == "none" else text.split(",")


def _numbers(text):
    return [int(name) for name in _names(text)]


def parse(arguments):
    """Returns the options."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--work", required=True, help="folder that setup.sh filled")
    parser.add_argument("--ocelli", default="build/release/ocelli", help="the program")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of every peer")
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement")
    parser.add_argument("--out", default="", help="write OUT.md and OUT.json")
    lists = "separated by commas, or none"
    parser.add_argument("--peers", type=_names, default=list(PEERS), help=lists)
    parser.add_argument("--pictures", type=_names, default=["336x336", "640x480", "1280x720"],
                        help=f"to encode, {lists}")
    parser.add_argument("--prompts", type=_numbers, default=[128, 512, 2048],
                        help=f"tokens to read, {lists}")
    parser.add_argument("--contexts", type=_numbers, default=[128, 4096],
                        help=f"tokens to write behind, {lists}")
    parser.add_argument("--served", type=_names,
                        default=["start", "answer", "turns", "clients4", "clients8"],
                        help=f"phases over HTTP, {lists}")
    options = parser.parse_args(arguments)
    if unknown := set(options.peers) - set(PEERS):
        parser.error(f"no such peers: {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    return options


def tasks(options):
    """Returns what is measured: the method of a peer, and its argument."""
    wanted = [("encode", options.pictures), ("prefill", options.prompts),
              ("decode", options.contexts), ("serve", options.served)]
    return [(method, argument) for method, argument in wanted if argument]


def turn(names, round_number):
    """Returns `names` in the order of a round: each is first in one of them."""
    first = round_number % len(names)
    return names[first:] + names[:first]


def measure(peers, options, figures, say):
    """Lets the peers take turns at each task, round by round. What fails is noted and passed."""
    for round_number in range(options.rounds):
        for method, argument in tasks(options):
            for name in turn(list(peers), round_number):
                if not hasattr(peers[name], method):
                    continue

                def add(phase, figure, unit, name=name, number=round_number):
                    figures.add(number, name, phase, figure, unit)
                    say(f"round {number + 1}: {name}, {phase}: {table.rounded(figure)} {unit}")

                try:
                    getattr(peers[name], method)(argument, round_number, add)
                except PeerError as error:
                    figures.fail(name, method, str(error))
                    say(f"round {round_number + 1}: {name}, {method}: {error}")


def _processor():
    fields = {}
    with open("/proc/cpuinfo") as file:
        for line in file:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    has = [name for name in INSTRUCTIONS if name in fields.get("flags", "").split()]
    return f"{fields.get('model name', 'unknown')}; {os.cpu_count()} cores; {', '.join(has)}"


def about(peers, options):
    """Returns what a reader must know beside the figures."""
    versions = dict.fromkeys(version for peer in peers.values() for version in peer.versions())
    return {
        "machine": _processor(),
        "versions": ", ".join(versions),
        "threads": f"{options.threads} of every peer",
        "rounds": f"{options.rounds}, the peers in turn in each",
        "cells": f"median; the first peer with its least and most, the others with how many times "
                 f"better {REFERENCE} was in the same round (least to most)",
    }


def main(arguments):
    """Measures, and writes the table."""
    options = parse(arguments)
    setup = Setup(options)
    peers = {name: PEERS[name][0](name, *PEERS[name][1:], setup) for name in options.peers}
    figures = table.Figures(REFERENCE)
    measure(peers, options, figures, lambda words: print(words, file=sys.stderr, flush=True))
    known = about(peers, options)
    print(table.markdown(figures, known), end="")
    if options.out:
        for ending, write in ((".md", table.markdown), (".json", table.document)):
            with open(options.out + ending, "w") as file:
                file.write(write(figures, known))


if __name__ == "__main__":
    main(sys.argv[1:])
