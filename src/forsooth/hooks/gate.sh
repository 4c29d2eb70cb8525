#!/bin/sh
# What a coding agent's host starts on each event: HOST EVENT, and the payload on standard input.
# Where nothing is at stake it answers by itself; otherwise Python does, and whatever goes wrong the
# agent goes on. A package made for one machine fills the first two lines in.
python=
library=
words=${FORSOOTH_KEYWORDS:-ulw ultrawork}
host=${1:-} event=${2:-}
start='import sys; sys.path.append(sys.argv.pop(1)); from forsooth.hooks.entry import main; main()'

silent() {
    case $host/$event in
    claude/prompt | codex/prompt | claude/session_start | codex/session_start) ;;
    *) echo '{}' ;;
    esac
}

pass() {
    silent
    # What a tool is given can be larger than a pipe, and a host calls a closed one an error.
    case $event in pre_tool | post_tool) exec cat >/dev/null ;; esac
    exit 0
}

answered() {
    if [ -x "$python" ] && [ -f "$library/forsooth/hooks/entry.py" ]; then
        FORSOOTH_KEYWORDS=$words "$python" -I -S -c "$start" "$library" "$host" "$event" || silent
    elif command -v forsooth-hook >/dev/null; then
        FORSOOTH_KEYWORDS=$words forsooth-hook "$host" "$event" || silent
    else
        pass
    fi
    exit 0
}

# The folder that all work trees of a repository share, and this work tree's name in it.
located() {
    top=$1
    until [ -e "$top/.git" ]; do
        [ -n "$top" ] || return 1
        case $top in */*) top=${top%/*} ;; *) top= ;; esac
    done
    tree=main common=$top/.git
    [ -f "$common" ] || return 0
    read -r key common <"$common"
    [ "$key" = gitdir: ] || return 1
    case $common in /*) ;; *) common=$top/$common ;; esac
    [ -f "$common/commondir" ] || return 0
    tree=linked/${common##*/}
    read -r shared <"$common/commondir"
    case $shared in /*) common=$shared ;; *) common=$common/$shared ;; esac
}

located "$PWD" || located "${CLAUDE_PROJECT_DIR:-}" || pass
plans=$common/forsooth/plans plan=${FORSOOTH_PLAN:-}
if [ -d "$plans" ]; then
    [ -n "$plan" ] || [ ! -f "$common/forsooth/bound/$tree" ] ||
        read -r plan <"$common/forsooth/bound/$tree"
    # Who found a plan over left a mark; whatever is recorded later is newer than it.
    [ -z "$plan" ] || [ "$plans/$plan/over" -nt "$plans/$plan/now.json" ] || answered
    # A work tree bound to none, or to one that is over, means the only plan that is not.
    [ -n "${FORSOOTH_PLAN:-}" ] || for now in "$plans"/*/now.json; do
        [ ! -e "$now" ] || [ "${now%/*}/over" -nt "$now" ] || answered
    done
fi
[ "$event" = prompt ] || pass
text=
while IFS= read -r line || [ -n "$line" ]; do text=$text$line; done
for word in $words /forsooth:; do
    case $text in *"$word"*)
        printf '%s' "$text" | answered
        exit 0
        ;;
    esac
done
silent
