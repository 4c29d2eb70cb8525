#!/bin/sh
# Run by cargo before each test executable, as `libtest.sh FOLDER PROGRAM...`: its events are kept
# in the folder by name.
# The variables that lead here are taken away, for a test may run cargo itself. Doctests come here
# as well: their names end in no hash, and rustdoc reads what they say.
for name in $(env | sed -n 's/^\(CARGO_TARGET_[A-Z0-9_]*_RUNNER\)=.*/\1/p'); do unset "$name"; done
out=$1
program=$2
shift 2
case $program in
*-????????????????) out="$out/libtest-$(basename "$program")" ;;
*) exec "$program" "$@" ;;
esac
RUSTC_BOOTSTRAP=1 exec "$program" "$@" -Z unstable-options --format json >>"$out.jsonl"
