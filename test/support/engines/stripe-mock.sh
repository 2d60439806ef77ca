#!/usr/bin/env bash
# Stripe's own stand-in for its API (stripe-mock): it holds every request against Stripe's description and answers with
# examples. It keeps nothing.
#
#   stripe-mock.sh start     builds what is missing, starts it and prints its URL
#   stripe-mock.sh remove    stops it and removes its folder
#
#   STRIPE_MOCK_PORT   12111               where it listens, on 127.0.0.1 only
#   STRIPE_MOCK_DIR    /tmp/tillroll-stripe-mock   its log (server.log) and process id (pid)
#   STRIPE_MOCK_BIN    ~/.cache/tillroll/stripe-mock-<version>   the program, shared by all
#
# Needs Go. Exit code 3: Go or its module proxy is missing.
set -euo pipefail

version=v0.197.0
port=${STRIPE_MOCK_PORT:-12111}
address=http://127.0.0.1:$port
dir=${STRIPE_MOCK_DIR:-${TMPDIR:-/tmp}/tillroll-stripe-mock}
bin=${STRIPE_MOCK_BIN:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tillroll/stripe-mock-$version}

missing() {
  echo "stripe-mock.sh: $1 stripe-mock is left out." >&2
  exit 3
}

build() {
  [ -x "$bin" ] && return
  command -v go >/dev/null || missing 'Go is not installed.'
  mkdir -p "$(dirname "$bin")"
  local built
  built=$(mktemp -d)
  GOBIN=$built go install "github.com/stripe/stripe-mock@$version" >&2 ||
    { rm -rf "$built"; missing 'It could not be built.'; }
  mv "$built/stripe-mock" "$bin"
  rmdir "$built"
}

start() {
  build
  mkdir -p "$dir"
  "$bin" -http-addr "127.0.0.1:$port" >"$dir/server.log" 2>&1 </dev/null &
  echo $! >"$dir/pid"
  for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$address"
      return
    fi
    sleep 0.1
  done
  echo "stripe-mock.sh: it does not answer, see $dir/server.log" >&2
  exit 1
}

remove() {
  [ ! -f "$dir/pid" ] || kill "$(cat "$dir/pid")" 2>/dev/null || true
  rm -rf "$dir"
}

case "${1:-}" in
  start) start ;;
  remove) remove ;;
  *)
    echo 'stripe-mock.sh start | remove' >&2
    exit 2
    ;;
esac
