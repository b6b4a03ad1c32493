# shellcheck shell=sh
# Only one bootstrap at a time prepares the folder. Other bootstraps wait, and
# then find the work done. The lock is a symbolic link, because a link and the
# name of its owner are created in one atomic step. The owner writes a heartbeat
# to a file beside the lock. A waiting bootstrap can read it in another container
# too, where process ids have another meaning.

lock=$tools/bootstrap.lock
lock_held=no
lock_beater=
breaking_held=no
lock_patience=900
# After this many seconds without a heartbeat, the owner has ended or its machine is suspended.
lock_silence=20

acquire_lock() {
  mkdir -p -- "$tools" 2>/dev/null || fail "cannot write to $tools"
  lock_place="$(uname -n) $(readlink /proc/self/ns/pid 2>/dev/null || :)"
  lock_waited=0
  lock_seen=
  lock_unchanged=0
  breaking_sightings=0
  until ln -s "$lock_place $$" "$lock" 2>/dev/null; do
    [ -L "$lock" ] || [ -w "$tools" ] || fail "cannot write to $tools"
    watch_lock
    if lock_is_stale; then
      break_stale_lock
    fi
    if [ "$lock_waited" -eq 1 ]; then
      say 'waiting for another bootstrap of this folder to finish …'
    elif [ "$lock_waited" -ge "$lock_patience" ]; then
      fail "another bootstrap has held $lock for $lock_patience s; remove that link if none is running"
    fi
    lock_waited=$((lock_waited + 1))
    sleep 1
  done
  lock_held=yes
  beat_while_this_lives >/dev/null 2>&1 </dev/null &
  lock_beater=$!
}

release_lock() {
  if [ -n "$lock_beater" ]; then
    end_helper "$lock_beater"
  fi
  lock_beater=
  # Another bootstrap may have removed this lock as stale and hold its own now.
  if [ "$lock_held" = yes ] && [ "$(readlink "$lock")" = "$lock_place $$" ]; then
    rm -f -- "$lock.beat" "$lock"
  fi
  lock_held=no
  if [ "$breaking_held" = yes ]; then
    rmdir -- "$lock.breaking" 2>/dev/null || :
  fi
  breaking_held=no
}

beat_while_this_lives() {
  beats=0
  while kill -0 $$; do
    beats=$((beats + 1))
    echo "$beats" >"$lock.beat"
    sleep 1
  done
}

# Prints the owner and its last heartbeat.
read_lock() {
  readlink "$lock" 2>/dev/null || :
  cat -- "$lock.beat" 2>/dev/null || :
}

# Counts how often in a row the same lock was seen without a new heartbeat.
watch_lock() {
  lock_now=$(read_lock)
  if [ "$lock_now" = "$lock_seen" ]; then
    lock_unchanged=$((lock_unchanged + 1))
  else
    lock_unchanged=0
  fi
  lock_seen=$lock_now
}

lock_is_stale() {
  lock_owner=$(readlink "$lock" 2>/dev/null) || return 1
  [ "$lock_unchanged" -lt "$lock_silence" ] || return 0
  # Process ids can be compared only in the same process namespace.
  [ "${lock_owner% *}" = "$lock_place" ] && ! process_lives "${lock_owner##* }"
}

# Only one waiting bootstrap at a time may remove a stale lock. A second one could
# otherwise remove the new lock of the first. If the first is killed before it has
# finished, its marker is removed after five attempts.
break_stale_lock() {
  if ! mkdir -- "$lock.breaking" 2>/dev/null; then
    breaking_sightings=$((breaking_sightings + 1))
    if [ "$breaking_sightings" -ge 5 ]; then
      breaking_sightings=0
      rmdir -- "$lock.breaking" 2>/dev/null || :
    fi
    return
  fi
  breaking_held=yes
  if [ "$(read_lock)" = "$lock_seen" ]; then
    rm -f -- "$lock.beat" "$lock"
  fi
  rmdir -- "$lock.breaking"
  breaking_held=no
}

# A process of another user cannot be signalled, but it can be seen.
process_lives() {
  kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1
}
