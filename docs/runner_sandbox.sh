# Makes a Linux runner ready for the strict sandbox: bubblewrap, and user namespaces for it.
# What it may not do itself it prints as a line to run; forsooth then refuses to run anything.
set -u
[ "$(uname -s)" = Linux ] || exit 0
system=${SYSTEM:-/proc/sys}
root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
wanted() { echo "::warning::forsooth needs this on the runner: $1"; }

if ! command -v bwrap >/dev/null; then
    { root apt-get update -qq && root apt-get install -y -qq bubblewrap; } >/dev/null 2>&1 ||
        wanted "sudo apt-get install bubblewrap"
fi
for switch in kernel.apparmor_restrict_unprivileged_userns=0 kernel.unprivileged_userns_clone=1; do
    file=$system/kernel/${switch#kernel.} file=${file%=*}
    if [ -f "$file" ] && [ "$(cat "$file")" != "${switch#*=}" ]; then
        root sysctl -q -w "$switch" >/dev/null 2>&1 || wanted "sudo sysctl $switch"
    fi
done
