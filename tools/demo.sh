#!/bin/sh
# A real A/B on this machine in under two minutes: one CPU against two (or, where only one CPU is allowed, nice 10
# against nice 0), with an A/A' control; prints the table.
set -eu
schedlab=${1:-build/schedlab}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# "0-3,8": the first CPU is what stands before the first '-' or ','; the second follows it.
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=${allowed%%[-,]*}
case "$allowed" in
  "$first"-*) second=$((first + 1)) ;;
  "$first",*) second=${allowed#*,} second=${second%%[-,]*} ;;
  *) second="" ;;
esac
if [ -n "$second" ]; then
  a="cpus=$first" b="cpus=$first,$second"
else
  a="nice=10" b="same"
fi
"$schedlab" ab -A "$a" -B "$b" --control --blocks 8 --seed 1 --db "$dir/demo.db" \
  -- hackbench -p -g 1 -l 300 -- schbench -m 1 -t 2 -r 1 -F 64
