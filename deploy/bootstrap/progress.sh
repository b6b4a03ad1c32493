# shellcheck shell=sh
# Prints progress to standard error, because standard output belongs to the
# command. A step that takes less than a second prints nothing.

say() {
  printf 'bootstrap: %s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 2
}

progress_log=
progress_step=
progress_ticker=

# run_step WHAT COMMAND [ARGUMENT…]: runs a step that may take long. Its output
# is shown only if it fails, and then only the last lines.
run_step() {
  step_name=$1
  shift
  step_began=$(date +%s)
  progress_log=$(mktemp "${TMPDIR:-/tmp}/sluice-bootstrap.XXXXXX" 2>/dev/null) ||
    fail "cannot write to ${TMPDIR:-/tmp}, the folder for temporary files"
  tell_progress "$step_name" &
  progress_ticker=$!
  "$@" >"$progress_log" 2>&1 </dev/null &
  progress_step=$!
  step_status=0
  wait "$progress_step" || step_status=$?
  progress_step=
  step_seconds=$(($(date +%s) - step_began))
  if [ "$step_status" -ne 0 ]; then
    say "$step_name: failed after $step_seconds s; the end of its output:"
    tail -n 15 "$progress_log" | sed 's/^/    /' >&2
  elif [ -e "$progress_log.told" ]; then
    say "$step_name: done in $step_seconds s"
  fi
  stop_progress
  return "$step_status"
}

# Sleeps one second at a time, so that no sleep outlives a killed ticker for long.
tell_progress() {
  ticks=0
  while sleep 1 >/dev/null 2>&1; do
    ticks=$((ticks + 1))
    case $ticks in
      1)
        : >"$progress_log.told"
        say "$1 …"
        ;;
      *0) say "$1 … ($ticks s)" ;;
    esac
  done
}

stop_progress() {
  if [ -n "$progress_step" ]; then
    kill "$progress_step" 2>/dev/null || :
    wait "$progress_step" 2>/dev/null || :
  fi
  if [ -n "$progress_ticker" ]; then
    end_helper "$progress_ticker"
  fi
  progress_step=
  progress_ticker=
  if [ -n "$progress_log" ]; then
    rm -f -- "$progress_log" "$progress_log.told"
  fi
  progress_log=
}

# Uses SIGKILL: a new subshell keeps the inherited traps for a moment. A signal
# that can be trapped would be lost in this moment, and the wait would never end.
end_helper() {
  kill -9 "$1" 2>/dev/null || :
  wait "$1" 2>/dev/null || :
}

# version_at_least WANTED VERSION: compares dotted numbers, up to three of them.
version_at_least() {
  awk -v wanted="$1" -v version="$2" 'BEGIN {
    split(wanted, w, /[^0-9]+/)
    split(version, v, /[^0-9]+/)
    for (i = 1; i <= 3; i++) {
      if (v[i] + 0 != w[i] + 0) exit (v[i] + 0 < w[i] + 0)
    }
    exit 0
  }' && [ -n "$2" ]
}
