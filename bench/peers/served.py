"""Phases that are measured over HTTP, for every peer that serves."""

import chat


def most_clients(phases):
    """Returns how many ask at once at most."""
    return max([int(phase[len("clients"):]) for phase in phases if phase.startswith("clients")],
               default=1)


def measure(server, phases, seed, add):
    """Gives the figures of `phases` (of start, answer, turns, clientsN) to `add` as phase, figure,
    unit. No two seeds that are 1000 apart share a picture."""
    if "start" in phases:
        add("start-up", server.start_seconds, "s")
    if "answer" in phases:
        seconds, _ = chat.whole_answer(server.port, seed)
        add(f"whole answer, {chat.ANSWER_TOKENS} tokens", seconds, "s")
    if "turns" in phases:
        second, changed = chat.next_turns(server.port, seed + 1)
        add("second turn, first token", second, "s")
        add("other words before the picture, first token", changed, "s")
    for phase in phases:
        if phase.startswith("clients"):
            clients = int(phase[len("clients"):])
            rate = chat.clients_rate(server.port, seed + 100 * clients, clients)
            add(f"{clients} clients together", rate, "tokens/s")
    add("memory at most", server.peak_bytes() / 1e9, "GB")
