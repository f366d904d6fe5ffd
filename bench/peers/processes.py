"""Programs that are measured: run to their end, or serving until they are told to stop."""

import http.client
import os
import socket
import subprocess
import time

READY_SECONDS = 900


class PeerError(Exception):
    """One sentence that says what a peer could not do."""


def _name(command):
    return os.path.basename(command[0])


def _last_words(log):
    with open(log, errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


def run(command, log, env=None):
    """Returns what `command` printed, what it wrote to stderr (also in `log`), and the most bytes
    it held."""
    with open(log, "w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                                   errors="replace", env=env)
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise PeerError(f"{_name(command)} ended with {process.returncode}: {_last_words(log)}")
    with open(log, errors="replace") as file:
        return printed, file.read(), usage.ru_maxrss * 1024


def free_port():
    """Returns a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A program that serves on `port`; ready when `path` answers with 200."""

    def __init__(self, command, port, path, log, env=None):
        self.port = port
        self._log = log
        start = time.monotonic()
        with open(log, "w") as out:
            self._process = subprocess.Popen(command, stdout=out, stderr=out, env=env)
        try:
            self._wait_until_ready(path, start + READY_SECONDS)
        except BaseException:
            self.stop()
            raise
        self.start_seconds = time.monotonic() - start

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _wait_until_ready(self, path, deadline):
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise PeerError(f"{_name(self._process.args)} ended before it served: "
                                f"{_last_words(self._log)}")
            if self._answers(path):
                return
            time.sleep(0.02)
        raise PeerError(f"{_name(self._process.args)} was not ready after {READY_SECONDS} s")

    def _answers(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def peak_bytes(self):
        """Returns the most bytes the program held so far, mapped files among them."""
        with open(f"/proc/{self._process.pid}/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        raise PeerError(f"{_name(self._process.args)} has ended: {_last_words(self._log)}")

    def stop(self):
        """Ends the program, by force where it takes too long."""
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
