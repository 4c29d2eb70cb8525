#!/bin/sh
# Runs a command and brings back the reports it wrote: collect.sh FOLDER PATTERN COMMAND...
# Reports that lay there before are taken away first, so that only this run can have written one.
out=$1
pattern=$2
shift 2
find . -type f -path "$pattern" -exec rm -f {} +
"$@"
status=$?
number=0
find . -type f -path "$pattern" | LC_ALL=C sort | while IFS= read -r file; do
    number=$((number + 1))
    cp -- "$file" "$out/junit-$number.xml"
done
exit "$status"
