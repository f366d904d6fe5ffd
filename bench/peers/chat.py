"""What is asked of the servers: the same pictures, words and bounds for each."""

import base64
import concurrent.futures
import http.client
import json
import random
import struct
import time
import zlib

from processes import PeerError
from shapes import ANSWER_TOKENS, PICTURE_SIDE_PX

ANSWER_SECONDS = 3600  # at most, for one answer
CLIENT_TOKENS = 32

# shapes.QUESTION_TOKENS of the Qwen3 vocabulary.
QUESTION = ("Please look at the picture and tell me which colours you can see in it, where they "
            "are, and whether there is any text that a person could read.")
REPLY = "There are many colours, mixed without any order, and there is no text."
NEXT_QUESTION = "Which of these colours covers most of the picture?"
OTHER_WORDS = "This is a page of a report about colours."


def png(width, height, seed):
    """Returns a picture of coloured noise that is unlike that of any other seed."""
    noise = random.Random(seed)
    rows = b"".join(b"\0" + noise.randbytes(3 * width) for _ in range(height))  # 0: no filter

    def chunk(name, data):
        return (struct.pack(">I", len(data)) + name + data +
                struct.pack(">I", zlib.crc32(name + data)))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def picture_part(seed):
    """Returns a picture as a part of a message."""
    data = base64.b64encode(png(PICTURE_SIDE_PX, PICTURE_SIDE_PX, seed)).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def user(*parts):
    """Returns a message of texts and parts."""
    return {"role": "user", "content": [
        {"type": "text", "text": part} if isinstance(part, str) else part for part in parts]}


def ask(port, messages, tokens):
    """Returns the seconds of an answer of exactly `tokens` tokens, and the tokens of its prompt."""
    body = json.dumps({"messages": messages, "max_tokens": tokens, "temperature": 0,
                       "ignore_eos": True})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
    start = time.monotonic()
    try:
        connection.request("POST", "/v1/chat/completions", body,
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read()
    except OSError as error:
        raise PeerError(f"the server did not answer: {error}") from error
    finally:
        connection.close()
    seconds = time.monotonic() - start
    if response.status != 200:
        words = text[:200].decode(errors="replace")
        raise PeerError(f"the server answered {response.status}: {words}")
    usage = json.loads(text)["usage"]
    if usage["completion_tokens"] != tokens:
        raise PeerError(f"{usage['completion_tokens']} tokens came instead of {tokens}")
    return seconds, usage["prompt_tokens"]


def whole_answer(port, seed):
    """Returns the seconds of one answer about a picture, and the tokens of the prompt."""
    return ask(port, [user(picture_part(seed), QUESTION)], ANSWER_TOKENS)


def next_turns(port, seed):
    """Returns the seconds to the first token of a second question about a picture, and of a first
    question about it behind other words."""
    picture = picture_part(seed)
    first = user(picture, QUESTION)
    ask(port, [first], 1)
    reply = {"role": "assistant", "content": REPLY}
    second, _ = ask(port, [first, reply, user(NEXT_QUESTION)], 1)
    changed, _ = ask(port, [user(OTHER_WORDS, picture, NEXT_QUESTION)], 1)
    return second, changed


def clients_rate(port, seed, clients):
    """Returns the tokens a second of all `clients` together, each with a picture of its own, from
    the first question to the last answer."""
    questions = [[user(picture_part(seed + i), QUESTION)] for i in range(clients)]
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        start = time.monotonic()
        list(pool.map(lambda messages: ask(port, messages, CLIENT_TOKENS), questions))
        return clients * CLIENT_TOKENS / (time.monotonic() - start)
