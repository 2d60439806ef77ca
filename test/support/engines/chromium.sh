#!/usr/bin/env bash
# Debian's Chromium, in which the example storefront and the page that links an agent are tried.
#
#   chromium.sh start     installs it where it is missing
#
# Exit code 3: it cannot be had here.
set -euo pipefail

missing() {
  echo "chromium.sh: $1 Chromium is left out." >&2
  exit 3
}

start() {
  command -v chromium >/dev/null && return
  command -v apt-get >/dev/null || missing 'There is no apt-get.'
  [ "$(id -u)" -eq 0 ] || missing 'Only root may install it.'
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2 || missing 'The package lists cannot be fetched.'
  apt-get install -qq -y --no-install-recommends chromium >&2 || missing 'It could not be installed.'
}

case "${1:-}" in
  start) start ;;
  *)
    echo 'chromium.sh start' >&2
    exit 2
    ;;
esac
