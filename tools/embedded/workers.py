"""Batches drawn in processes of their own, so that the training step never waits for pictures."""

import multiprocessing
import os
import random
import signal


def _work(draw, seed, queue, level, niceness):
    os.nice(max(0, niceness - os.nice(0)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    rng = random.Random(seed)
    while True:
        for batch in draw(rng, level.value):
            queue.put(batch)


class BatchStream:
    """Endless batches from draw(rng, level), drawn by worker processes with seeds of their own.

    draw must be a top-level function; it returns a list of batches of arrays and plain objects.
    """

    def __init__(self, draw, seed, workers=1, level=0, ahead=12, niceness=19):
        context = multiprocessing.get_context("spawn")
        self._queue = context.Queue(ahead)
        self._level = context.Value("i", level)
        self._processes = [
            context.Process(target=_work, daemon=True,
                            args=(draw, seed * 1000 + i, self._queue, self._level, niceness))
            for i in range(workers)]
        for process in self._processes:
            process.start()

    def set_level(self, level):
        """The level that is passed to draw from now on."""
        self._level.value = level

    def next(self):
        """The next batch; waits only when the workers are behind."""
        return self._queue.get()

    def close(self):
        """Ends the workers."""
        for process in self._processes:
            process.terminate()
