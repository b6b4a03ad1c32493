-- Decides admissions of several organizations, all four limits of each at once.
--
-- KEYS        the organizations' states
-- ARGV[1]     one binary string of doubles, little endian. For each
--             organization: the revision of its limits (epoch, sequence), the
--             limits (requests a minute, requests a day, tokens a minute,
--             tokens a day; -1 is unlimited), how many costs follow, at least
--             one, and these in order of arrival (requests, tokens).
--
-- Reply       one binary string, little endian: the clock (a double); then for
--             each organization one byte. 0: its state cannot be used, and
--             nothing was done. 1: the clock and the limits given are in force.
--             2: others are, or another day than the clock's is counted; they
--             follow (a clock, the end of that day and four limits, 6 doubles).
--             After 1 and 2 for each cost the number of the limit that refuses
--             it with the longest wait, or 0 (1 byte), and what the organization
--             has used then: deficits and counts as in its state (4 doubles);
--             of a refused one also the wait (uint32, ms) and whether it exceeds
--             that limit whole (1 byte).
--
-- State       one binary string: version (1 byte), then doubles: last clock
--             seen, epoch, sequence, four limits, deficits of requests and
--             tokens in 1/60000, day number, requests and tokens of that day.
--
-- Every number is an integer below 2^53, which a double holds exactly, for
-- limits and costs up to 10^11; a count that is larger is beyond every limit. The
-- quotient of two such is never rounded to an integer that it is not.
-- Written only when something was charged, when a newer revision arrived, or
-- when the clock was put back by more than 5 s.

local MINUTE = 60000
local DAY = 86400000
local TOLERATED_STEP_BACK = 5000
local KEPT_AFTER_MIDNIGHT = 120000
local VERSION = 1
local STATE = '<Bdddddddddddd'
local STATE_BYTES = 97

-- With the first cost, which is always there: one reading less for each that asks once.
local GIVEN = '<ddddddddd'
local GIVEN_BYTES = 56
local COST = '<dd'
local COST_BYTES = 16

local ceil, floor = math.ceil, math.floor
local pack, unpack_bytes = struct.pack, struct.unpack

-- Clamped before the refill, so that a lowered limit frees itself in a minute.
-- Comparisons, and not calls of math.min and math.max, which cost a multiple.
local function refill(deficit, limit, elapsed)
  if limit < 0 or elapsed >= MINUTE then return 0 end
  local capacity = limit * MINUTE
  if deficit > capacity then deficit = capacity end
  local refilled = limit * elapsed
  if deficit > refilled then return deficit - refilled end
  return 0
end

-- How long a cost has to wait for a limit of either kind, and whether it exceeds
-- it whole. What costs a limit nothing never waits for it. `behind` is what the
-- clock first has to make up for; a cost that exceeds a limit never waits shorter
-- than for a minute limit, which time would cure.
local function wait_of_minute(limit, cost, deficit, behind)
  if limit < 0 or cost == 0 then return 0, 0 end
  if cost > limit then return MINUTE + behind, 1 end
  local missing = cost * MINUTE - (limit * MINUTE - deficit)
  if missing > 0 then return ceil(missing / limit) + behind, 0 end
  return 0, 0
end

local function wait_of_day(limit, cost, count, behind, rest_of_day)
  if limit < 0 or cost == 0 then return 0, 0 end
  if cost > limit then return MINUTE + behind, 1 end
  if count + cost > limit then return rest_of_day, 0 end
  return 0, 0
end

-- The number of the limit with the longest wait; of equal ones, one that the cost
-- exceeds.
local function longest(waits, exceeding)
  local number = 1
  for i = 2, 4 do
    if waits[i] > waits[number]
      or (waits[i] == waits[number] and exceeding[i] > exceeding[number]) then
      number = i
    end
  end
  return number, waits[number], exceeding[number]
end

local time = redis.call('TIME')
local clock = time[1] * 1000 + floor(time[2] / 1000)
local today_by_clock = floor(clock / DAY)
local given = ARGV[1]
local reply, parts = { pack('<d', clock) }, 1

-- Decides for one organization whose part of what was given begins at a byte.
-- Returns where the next one's begins.
local function decide(key, stored, at)
  local epoch, sequence, limit_rm, limit_rd, limit_tm, limit_td, costs, requests, tokens =
    unpack_bytes(GIVEN, given, at)
  local first_cost = at + GIVEN_BYTES
  local next_at = first_cost + costs * COST_BYTES

  local now, elapsed = clock, 0
  local today = today_by_clock
  -- The day that is counted: today, or tomorrow after a step back over midnight.
  local counted_day, written_day = today, nil
  local deficit_r, deficit_t, count_r, count_t = 0, 0, 0, 0
  local changed = epoch > 0 or sequence > 0
  local as_given = true

  if stored then
    local version, last, stored_epoch, stored_sequence, l1, l2, l3, l4, d1, d3, day, c2, c4
    if #stored == STATE_BYTES then
      version, last, stored_epoch, stored_sequence, l1, l2, l3, l4, d1, d3, day, c2, c4 =
        unpack_bytes(STATE, stored)
    end
    if version ~= VERSION or last % 1 ~= 0 then
      parts = parts + 1
      reply[parts] = '\0'
      return next_at
    end
    deficit_r, deficit_t, written_day = d1, d3, day
    if last - clock > TOLERATED_STEP_BACK then
      -- Put back, as by a failover onto a bad clock: time goes on from here. It
      -- has to be written, or nothing would refill until the old time is reached.
      -- Tomorrow goes on being counted, or what it has spent would be spent again.
      changed = true
      if day ~= today + 1 then day = today end
    else
      changed = false
      if last > clock then
        now, as_given = last, false
        today = floor(now / DAY)
      else
        elapsed = clock - last
      end
    end
    counted_day = today
    if day >= today then counted_day, count_r, count_t = day, c2, c4 end
    if epoch > stored_epoch or (epoch == stored_epoch and sequence > stored_sequence) then
      changed = true
    else
      epoch, sequence = stored_epoch, stored_sequence
      if l1 ~= limit_rm or l2 ~= limit_rd or l3 ~= limit_tm or l4 ~= limit_td then
        as_given = false
      end
      limit_rm, limit_rd, limit_tm, limit_td = l1, l2, l3, l4
    end
  end

  if counted_day ~= today then as_given = false end

  local behind = now - clock
  local counted_until = (counted_day + 1) * DAY
  local rest_of_day = counted_until - clock
  deficit_r, deficit_t = refill(deficit_r, limit_rm, elapsed), refill(deficit_t, limit_tm, elapsed)

  parts = parts + 1
  if as_given then
    reply[parts] = '\1'
  else
    reply[parts] = pack('<Bdddddd', 2, now, counted_until, limit_rm, limit_rd, limit_tm, limit_td)
  end

  for cost_at = first_cost, next_at - 1, COST_BYTES do
    if cost_at > first_cost then requests, tokens = unpack_bytes(COST, given, cost_at) end
    -- What costs a limit nothing always fits. Of most only this is asked; the waits
    -- are for those that do not fit.
    local fits = (requests == 0
        or (limit_rm < 0 or requests * MINUTE <= limit_rm * MINUTE - deficit_r)
        and (limit_rd < 0 or count_r + requests <= limit_rd))
      and (tokens == 0
        or (limit_tm < 0 or tokens * MINUTE <= limit_tm * MINUTE - deficit_t)
        and (limit_td < 0 or count_t + tokens <= limit_td))

    parts = parts + 1
    if fits then
      if requests > 0 or tokens > 0 then
        changed = true
        if limit_rm >= 0 then deficit_r = deficit_r + requests * MINUTE end
        if limit_tm >= 0 then deficit_t = deficit_t + tokens * MINUTE end
        -- Counted without a limit too: one that is set at noon knows the morning.
        count_r, count_t = count_r + requests, count_t + tokens
      end
      reply[parts] = pack('<Bdddd', 0, deficit_r, deficit_t, count_r, count_t)
    else
      local w1, e1 = wait_of_minute(limit_rm, requests, deficit_r, behind)
      local w2, e2 = wait_of_day(limit_rd, requests, count_r, behind, rest_of_day)
      local w3, e3 = wait_of_minute(limit_tm, tokens, deficit_t, behind)
      local w4, e4 = wait_of_day(limit_td, tokens, count_t, behind, rest_of_day)
      local refused_by, wait, exceeds = longest({ w1, w2, w3, w4 }, { e1, e2, e3, e4 })
      reply[parts] = pack(
        '<BddddI4B', refused_by, deficit_r, deficit_t, count_r, count_t, wait, exceeds
      )
    end
  end

  if changed then
    local state = pack(
      STATE, VERSION, now, epoch, sequence, limit_rm, limit_rd, limit_tm, limit_td,
      deficit_r, deficit_t, counted_day, count_r, count_t
    )
    if counted_day == written_day then
      -- It expires after the end of the counted day already, by the same clock.
      redis.call('SET', key, state, 'KEEPTTL')
    else
      -- The jitter keeps all organizations from expiring in the same moment.
      local jitter = time[2] % 1000 * 60
      redis.call(
        'SET', key, state, 'PX', counted_until - now + KEPT_AFTER_MIDNIGHT + jitter
      )
    end
  end
  return next_at
end

-- Everything is read before anything is written. What may fail after that is the
-- first write alone, and then nothing was charged to anybody.
local states = redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do
  -- MGET takes a key of another type for none.
  if not states[i] and redis.call('TYPE', KEYS[i])['ok'] ~= 'none' then states[i] = '' end
end

local at = 1
for i = 1, #KEYS do at = decide(KEYS[i], states[i], at) end
return table.concat(reply)
