"""The exported picture encoder: encoder_worker.py onnxruntime|openvino f32|bf16 FOLDER THREADS
SIZE..."""

import os
import sys

import numpy

import shapes

WIDTH = 1024      # of a patch in the encoder
HEAD_FLOATS = 64


def _inputs(size):
    down, across = shapes.grid(size)
    random = numpy.random.default_rng(1)
    widths = {"patches": shapes.PATCH_FLOATS, "places": WIDTH, "cos": HEAD_FLOATS,
              "sin": HEAD_FLOATS}
    return {name: random.uniform(-1, 1, (down * across, width)).astype(numpy.float32)
            for name, width in widths.items()}


def onnxruntime_runner(folder, _, threads):
    """Returns what runs ONNX Runtime on inputs."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(os.path.join(folder, "encoder.onnx"), options,
                                           providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)


def openvino_runner(folder, kind, threads):
    """Returns what runs OpenVINO on inputs."""
    import openvino
    model = openvino.Core().compile_model(
        os.path.join(folder, "encoder.xml"), "CPU",
        {"INFERENCE_PRECISION_HINT": kind, "INFERENCE_NUM_THREADS": threads,
         "PERFORMANCE_HINT": "LATENCY"})
    return lambda feeds: model(list(feeds.values()))


def main(engine, kind, folder, threads, *sizes):
    """Encodes a picture of each size."""
    runner = {"onnxruntime": onnxruntime_runner, "openvino": openvino_runner}[engine]
    encode = runner(folder, kind, int(threads))
    for size in sizes:
        feeds = _inputs(size)
        shapes.give(f"encode {size}", shapes.timed(lambda: encode(feeds)), "s")


if __name__ == "__main__":
    main(*sys.argv[1:])
