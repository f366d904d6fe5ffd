"""Measures a checkpoint folder on the held-out exercises: evaluate.py CHECKPOINT [--count N].

Prints, for each category: character error rate, share of exactly right answers, share of answers
that stopped by themselves. Any Qwen3-VL checkpoint with this project's byte tokens can be measured.
"""

import argparse
import json

import torch

import cases
from checkpoint_reader import CheckpointReader


def arguments():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--count", type=int, default=30, help="pictures of each category")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", help="categories that contain this word")
    parser.add_argument("--show", type=int, default=0, help="print this many answers a category")
    parser.add_argument("--json", help="also write the figures to this file")
    return parser.parse_args()


def measure(reader, chosen, show):
    """Figures of one category's cases."""
    wrong = printed = exact = stopped = 0
    for i, case in enumerate(chosen):
        wanted = case.sample.answer
        most = len(wanted.encode()) + 12
        got, stops = reader.answer(case.sample.picture, case.sample.question, most)
        wrong += cases.edit_distance(got, wanted)
        printed += len(wanted)
        exact += got == wanted
        stopped += stops
        if i < show:
            print(f"    {case.sample.question!r}: wanted {wanted!r} got {got!r}", flush=True)
    n = len(chosen)
    return dict(count=n, cer=wrong / printed, exact=exact / n, stopped=stopped / n, wrong=wrong,
                printed=printed)


def total(figures, names):
    """Character error rate over several categories."""
    rows = [figures[n] for n in names if n in figures]
    return sum(r["wrong"] for r in rows) / max(1, sum(r["printed"] for r in rows))


def main():
    """Runs the evaluation."""
    args = arguments()
    reader, figures = CheckpointReader(args.checkpoint), {}
    print(f"{'category':28} {'CER':>7} {'exact':>7} {'stops':>7}")
    for category in cases.CATEGORIES | cases.SCREENS:
        if args.only and args.only not in category:
            continue
        chosen = cases.draw_cases(args.seed, {category: args.count})
        row = figures[category] = measure(reader, chosen, args.show)
        print(f"{category:28} {row['cer']:7.1%} {row['exact']:7.1%} {row['stopped']:7.1%}",
              flush=True)
    reading = [c for c in cases.CATEGORIES if c not in cases.EXACT_ONLY]
    print(f"{'all reading':28} {total(figures, reading):7.1%}")
    print(f"{'all screens':28} {total(figures, cases.SCREENS):7.1%}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    torch.set_num_threads(2)
    main()
