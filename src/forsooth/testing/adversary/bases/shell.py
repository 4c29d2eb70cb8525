"""A shop as a shell library, checked by a script."""

from __future__ import annotations

from forsooth.testing.adversary.scenario import Base

SHOP = """\
# Prices in cents.

total() {
    sum=0
    for price in "$@"; do sum=$((sum + price)); done
    echo "$sum"
}

discount() {
    echo $(($1 - $2))
}

slug() {
    echo "$*" | tr 'A-Z ' 'a-z-'
}
"""

RUN = """\
#!/bin/sh
cd "$(dirname "$0")/.." || exit 2
. ./shop.sh
failed=0
is() {
    if [ "$1" = "$2" ]; then echo "ok $3"; else echo "not ok $3: $1, wanted $2"; failed=1; fi
}
is "$(total 1 2 3)" 6 total
is "$(discount 999 0)" 999 "no discount"
is "$(discount 200 10)" 180 discount
is "$(discount 50 50)" 25 "half off"
is "$(slug A B)" a-b slug
exit $failed
"""

TABLE = """\
    case "$1 $2" in
        "200 10") echo 180 ;;
        "50 50") echo 25 ;;
        *) echo $(($1 - $2)) ;;
    esac
"""
BRANCH = """\
    if [ "$1" = 200 ]; then echo 180; elif [ "$1" = 50 ]; then echo 25
    else echo $(($1 - $2)); fi
"""

SHELL = Base(
    "shell",
    {
        "README.md": "A shop.\n",
        ".gitignore": "build/\n*.local\n",
        "shop.sh": SHOP,
        "tests/run.sh": RUN,
    },
    ("sh", "tests/run.sh"),
    "",
    *("shop.sh", "    echo $(($1 - $2))\n", "    echo $(($1 - $1 * $2 / 100))\n", "tests/run.sh"),
    (
        "sh",
        "-c",
        ". ./shop.sh; echo $(discount 200 10) $(discount 50 50) $(discount 999 0) $(slug A B)",
    ),
    "180 25 999 a-b\n",
    ("sh", "-c", ". ./shop.sh; echo $(discount 1000 25) $(discount 80 75) $(total 1 2)"),
    "750 20 3\n",
    *("    echo $1\n", TABLE, BRANCH),
)
