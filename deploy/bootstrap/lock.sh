# shellcheck shell=sh
# One bootstrap at a time prepares; the others wait and find the work done.
# A folder is the lock, because making one is atomic everywhere.

lock=$tools/lock
lock_held=no
lock_patience=900

acquire_lock() {
  mkdir -p -- "$tools" 2>/dev/null || fail "cannot write to $tools"
  lock_waited=0
  until mkdir -- "$lock" 2>/dev/null; do
    [ -d "$lock" ] || [ -w "$tools" ] || fail "cannot write to $tools"
    break_stale_lock
    if [ "$lock_waited" -eq 1 ]; then
      say 'waiting for another bootstrap of this folder to finish …'
    elif [ "$lock_waited" -ge "$lock_patience" ]; then
      fail "another bootstrap has held $lock for $lock_patience s; remove that folder if none is running"
    fi
    lock_waited=$((lock_waited + 1))
    sleep 1
  done
  lock_held=yes
  echo $$ >"$lock/pid"
}

release_lock() {
  if [ "$lock_held" = yes ]; then
    rm -rf -- "$lock"
  fi
  lock_held=no
}

# A bootstrap that was killed leaves its lock behind. Only one waiter may
# remove it, or a second one could remove the lock that the first then took.
break_stale_lock() {
  lock_is_stale || return 0
  mkdir -- "$lock.breaking" 2>/dev/null || return 0
  if lock_is_stale; then
    rm -rf -- "$lock"
  fi
  rmdir -- "$lock.breaking"
}

lock_is_stale() {
  lock_owner=$(cat -- "$lock/pid" 2>/dev/null) || lock_owner=
  if [ -z "$lock_owner" ]; then
    # Its owner is about to write its id, or died before it could.
    [ -d "$lock" ] && [ "$lock_waited" -ge 10 ]
  else
    ! process_lives "$lock_owner"
  fi
}

# A process of another user cannot be signalled, but it can be seen.
process_lives() {
  kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1
}
