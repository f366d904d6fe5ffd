"""Figures of all rounds, and what is written of them: one table of ratios, and all as JSON."""

import json
import statistics

HIGHER_IS_BETTER = {"tokens/s"}


class Figures:
    """What was measured: for each phase and peer one figure a round."""

    def __init__(self, reference):
        self.reference = reference  # the peer that all others are compared with
        self._units = {}            # of the phases, in the order they came
        self._rounds = {}           # (phase, peer) -> {round: figure}
        self._failures = {}         # (phase, peer) -> sentence

    def add(self, round_number, peer, phase, figure, unit):
        """Takes the `figure` of a round."""
        if self._units.setdefault(phase, unit) != unit:
            raise ValueError(f"{phase} was measured in {self._units[phase]}, now in {unit}")
        self._rounds.setdefault((phase, peer), {})[round_number] = figure

    def fail(self, peer, phase, sentence):
        """Takes why a peer has no figure."""
        self._failures[phase, peer] = sentence

    def phases(self):
        """Returns the names of the phases, in the order they came."""
        return list(self._units)

    def peers(self):
        """Returns the peers that have figures: the reference, then the others as they came."""
        names = dict.fromkeys(peer for _, peer in self._rounds)
        return [self.reference] * (self.reference in names) + \
               [name for name in names if name != self.reference]

    def values(self, phase, peer):
        """Returns the figures of all rounds."""
        return list(self._rounds.get((phase, peer), {}).values())

    def ratios(self, phase, peer):
        """Returns how many times better the reference was, in each round that both took part in."""
        ours = self._rounds.get((phase, self.reference), {})
        theirs = self._rounds.get((phase, peer), {})
        pairs = [(ours[i], theirs[i]) for i in theirs if i in ours]
        if self._units[phase] in HIGHER_IS_BETTER:
            return [our / their for our, their in pairs]
        return [their / our for our, their in pairs]

    def unit(self, phase):
        """Returns what the figures of a phase are counted in."""
        return self._units[phase]

    def failures(self):
        """Returns one sentence for each peer and phase that failed."""
        return [f"{peer}, {phase}: {words}" for (phase, peer), words in self._failures.items()]


def rounded(value):
    """Returns `value` with three digits, or all of its whole ones."""
    if value >= 100:
        return f"{value:.0f}"
    digits = 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def _cell(figures, phase, peer):
    values = figures.values(phase, peer)
    if not values:
        return ""
    middle = rounded(statistics.median(values))
    if peer == figures.reference:
        return f"{middle} ({rounded(min(values))} to {rounded(max(values))})"
    ratios = figures.ratios(phase, peer)
    if not ratios:
        return middle
    return (f"{middle}: **{statistics.median(ratios):.2f}x** "
            f"({min(ratios):.2f} to {max(ratios):.2f})")


def markdown(figures, about):
    """Returns the table, with `about` (name -> text) above it."""
    peers = figures.peers()
    lines = [f"- {name}: {text}" for name, text in about.items()]
    lines += ["", "| | " + " | ".join(peers) + " |", "|---" * (len(peers) + 1) + "|"]
    for phase in figures.phases():
        cells = [_cell(figures, phase, peer) for peer in peers]
        lines.append(f"| {phase}, {figures.unit(phase)} | " + " | ".join(cells) + " |")
    failures = [f"- missing: {sentence}" for sentence in figures.failures()]
    return "\n".join(lines + ([""] + failures if failures else [])) + "\n"


def document(figures, about):
    """Returns all figures as JSON."""
    phases = [{
        "phase": phase, "unit": figures.unit(phase),
        "peers": {peer: {"figures": figures.values(phase, peer),
                         "ratios": figures.ratios(phase, peer)}
                  for peer in figures.peers() if figures.values(phase, peer)},
    } for phase in figures.phases()]
    return json.dumps({"about": about, "reference": figures.reference, "phases": phases,
                       "failures": figures.failures()}, indent=1) + "\n"
