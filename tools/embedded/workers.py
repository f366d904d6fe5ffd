"""Batches drawn in processes of their own, so that the training step never waits for pictures."""

import multiprocessing
import os
import random
import signal


def _work(make, seed, queue, niceness):
    os.nice(max(0, niceness - os.nice(0)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rng = random.Random(seed)
    while True:
        queue.put(make(rng))


class BatchStream:
    """Endless batches from make(rng), drawn by worker processes with seeds of their own.

    make must be a top-level function and return numpy arrays and plain objects.
    """

    def __init__(self, make, seed, workers=1, ahead=12, niceness=19):
        context = multiprocessing.get_context("spawn")
        self._queue = context.Queue(ahead)
        self._processes = [
            context.Process(target=_work, args=(make, seed * 1000 + i, self._queue, niceness),
                            daemon=True)
            for i in range(workers)]
        for process in self._processes:
            process.start()

    def next(self):
        """The next batch; waits only when the workers are behind."""
        return self._queue.get()

    def close(self):
        """Ends the workers."""
        for process in self._processes:
            process.terminate()
