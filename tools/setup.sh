#!/bin/sh
# Installs the Debian packages that building and testing need, and only those that are missing.
# With nothing missing it needs neither root nor sudo. Debian 12; `tools/setup.sh build` for what the program
# needs, `all` (the default) for the tests too, `lint` for clang-tidy and clang-format besides.
set -eu

build="g++ cmake ninja-build pkg-config git libcli11-dev libfmt-dev nlohmann-json3-dev libsqlite3-dev libsqlitecpp-dev
       libboost1.81-dev libexpected-dev librandom123-dev libzstd-dev"
test="libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev"

case "${1:-all}" in
  build) want="$build" ;;
  all) want="$build $test" ;;
  lint) want="$build $test clang-tidy clang-format" ;;
  *) echo "setup: unknown set '$1' (known: build, all, lint)" >&2; exit 2 ;;
esac

missing=""
for package in $want; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "setup: cannot install$missing: not root and no sudo; as root: apt-get install$missing" >&2
  exit 1
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words is meant
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
