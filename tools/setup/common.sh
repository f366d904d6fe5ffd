# Shared by ./run and ./test: says what it does, installs what is missing, builds a preset.
# Sourced, not run; expects to be in the repository's root.

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
fail() {
  printf '\033[31merror:\033[0m %s\n' "$*" >&2
  exit 1
}

# is_installed PACKAGE: also true when a command of that name is there from elsewhere (a newer
# Node.js, say), so that we never replace what the user chose.
is_installed() {
  case "$1" in
    nodejs) command -v node > /dev/null && return 0 ;;
    npm | cmake | ccache | g++ | python3) command -v "$1" > /dev/null && return 0 ;;
    ninja-build) command -v ninja > /dev/null && return 0 ;;
  esac
  dpkg-query -W -f '${Status}' "$1" 2> /dev/null | grep -q '^install ok installed'
}

# missing_packages GROUP...: prints the packages of these groups that are not installed.
missing_packages() {
  local wanted_group package group
  while read -r group package; do
    for wanted_group in "$@"; do
      if [ "$group" = "$wanted_group" ] && ! is_installed "$package"; then echo "$package"; fi
    done
  done < <(grep -v '^#' tools/setup/packages.txt)
}

# install_packages GROUP...: installs what is missing with apt-get, or says what to install.
install_packages() {
  command -v dpkg-query > /dev/null ||
    fail "this script knows Debian and Ubuntu only; install the packages listed in tools/setup/packages.txt under your system's names, then run: cmake --preset release && cmake --build build/release"
  local missing
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || fail "these packages are missing and neither root nor sudo is available: $missing"
    as_root=(sudo)
  fi
  say "installing Debian packages: $missing"
  mkdir -p build
  "${as_root[@]}" apt-get update -qq || fail "apt-get update failed; check the network and /etc/apt/sources.list, then run this again"
  # shellcheck disable=SC2086  # a list of words
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > build/apt.log 2>&1 ||
    fail "apt-get could not install $missing; its last words were: $(tail -n 3 build/apt.log | tr '\n' ' ')"
}

# build_preset PRESET [TARGET...]: configures (once) and builds; quiet unless something fails.
build_preset() {
  local preset=$1 log target_flags=()
  shift
  [ $# -eq 0 ] || target_flags=(--target "$@")
  mkdir -p build
  log=build/$preset.log
  say "building ($preset; log in $log)"
  # So that a clone in another folder finds what was compiled here.
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  cmake --preset "$preset" > "$log" 2>&1 || { tail -n 20 "$log" >&2; fail "cmake could not configure the preset '$preset'"; }
  cmake --build "build/$preset" -j "$(nproc)" "${target_flags[@]}" >> "$log" 2>&1 ||
    { grep -E -A5 'error|FAILED' "$log" | head -n 40 >&2; fail "the build failed; the whole log is in $log"; }
}
