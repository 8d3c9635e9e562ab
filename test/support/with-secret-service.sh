#!/bin/sh
# with-secret-service.sh COMMAND…: runs the command with a private session bus and an unlocked, empty keyring.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -m 700 "$tmp/run" "$tmp/data"
HOME=$tmp XDG_RUNTIME_DIR=$tmp/run XDG_DATA_HOME=$tmp/data dbus-run-session -- sh -c '
  printf %s secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null
  exec "$@"' sh "$@"
