-- Decides admissions of several organizations against all four limits. All
-- organizations are decided in one atomic step.
--
-- KEYS        The state of each organization.
-- ARGV[1]     A binary string of little-endian doubles. For each organization:
--             the revision of its limits (epoch, sequence), the four limits, the
--             number of costs (at least 1), and the costs in order of arrival
--             (requests, tokens). The order of the limits is: requests a minute,
--             requests a day, tokens a minute, tokens a day. No limit is -1.
--
-- Reply       A little-endian binary string: the clock (double), then for each
--             organization a status byte.
--               0  Its state cannot be used. Nothing was decided.
--               1  The clock and the given limits apply.
--               2  Another clock, counted day or limits apply. They follow: the
--                  clock, the end of the counted day, four limits (6 doubles).
--             After status 1 or 2, the verdict on each cost follows:
--               1 byte     0 if it is admitted. If it is refused, the number of
--                          the limit (1 to 4) with the longest wait.
--               4 doubles  The deficits and counts after this cost, as in the state.
--             For a refused cost, there is also:
--               uint32     The wait in ms.
--               1 byte     1 if the cost exceeds the whole limit, otherwise 0.
--
-- State       A binary string: version (1 byte), then doubles: last clock, epoch,
--             sequence, four limits, deficits of requests and tokens, day number,
--             requests and tokens of that day. A deficit is how much a minute limit
--             is below its full bucket, in units of 1/60000 of a request or token.
--
-- Names       r is requests, t is tokens, m is a minute, d is a day: limit_rm is the
--             limit of requests a minute.
--
-- For limits and costs up to 10^11, every number is an integer below 2^53, which
-- a double holds exactly; a larger count exceeds every limit. If the quotient of
-- two of these numbers is not an integer, a double does not round it to one.
-- The state is written only if something was charged, if a newer revision of the
-- limits arrived, or if the clock was set back by more than 5 s.

local MINUTE = 60000
local DAY = 86400000
local TOLERATED_STEP_BACK = 5000
local KEPT_AFTER_MIDNIGHT = 120000
local VERSION = 1
local STATE = '<Bdddddddddddd'
local STATE_BYTES = 97

-- GIVEN includes the first cost, which saves a call of unpack if there is only one
-- cost, as is common. GIVEN_BYTES does not include it.
local GIVEN = '<ddddddddd'
local GIVEN_BYTES = 56
local COST = '<dd'
local COST_BYTES = 16

local ceil, floor = math.ceil, math.floor
local pack, unpack_bytes = struct.pack, struct.unpack

-- The deficit after some time has passed. It is first reduced to the capacity, so that
-- even after a limit was lowered, the bucket is full within a minute. In a
-- measurement, comparisons were several times faster than math.min and math.max.
local function refill(deficit, limit, elapsed)
  if limit < 0 or elapsed >= MINUTE then return 0 end
  local capacity = limit * MINUTE
  if deficit > capacity then deficit = capacity end
  local refilled = limit * elapsed
  if deficit > refilled then return deficit - refilled end
  return 0
end

-- wait_of_minute and wait_of_day return how long a cost has to wait for a limit, and
-- 1 if it exceeds the whole limit. A cost of 0 never waits. `behind` is how far the
-- clock is behind the last clock in the state; this time has to pass first. A cost
-- that exceeds the whole limit waits for at least as long as any cost that fits into
-- a minute limit.
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

-- Returns the number of the limit with the longest wait, this wait, and whether the
-- cost exceeds this limit. Among equal waits, a limit that the cost exceeds goes first.
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

-- Decides for one organization. `at` is the position of its arguments in `given`.
-- Returns the position of the next organization's arguments.
local function decide(key, stored, at)
  local epoch, sequence, limit_rm, limit_rd, limit_tm, limit_td, costs, requests, tokens =
    unpack_bytes(GIVEN, given, at)
  local first_cost = at + GIVEN_BYTES
  local next_at = first_cost + costs * COST_BYTES

  local now, elapsed = clock, 0
  local today = today_by_clock
  -- The counted day is today, or tomorrow after the clock was set back over midnight.
  -- The written day is the counted day in the stored state.
  local counted_day, written_day = today, nil
  local deficit_r, deficit_t, count_r, count_t = 0, 0, 0, 0
  local changed = epoch > 0 or sequence > 0
  -- Whether the reply can have status 1.
  local as_given = true

  if stored then
    local version, last, stored_epoch, stored_sequence
    local stored_rm, stored_rd, stored_tm, stored_td
    local stored_deficit_r, stored_deficit_t, day, stored_count_r, stored_count_t
    if #stored == STATE_BYTES then
      version, last, stored_epoch, stored_sequence,
        stored_rm, stored_rd, stored_tm, stored_td,
        stored_deficit_r, stored_deficit_t, day, stored_count_r, stored_count_t =
        unpack_bytes(STATE, stored)
    end
    -- A clock that is not an integer shows that these bytes are not a state.
    if version ~= VERSION or last % 1 ~= 0 then
      parts = parts + 1
      reply[parts] = '\0'
      return next_at
    end
    deficit_r, deficit_t, written_day = stored_deficit_r, stored_deficit_t, day
    if last - clock > TOLERATED_STEP_BACK then
      -- The clock was set back, for example by a failover to a server with a wrong
      -- clock. Time continues from the new clock. This must be written, because
      -- otherwise nothing would refill until the old time is reached. If the counted
      -- day was tomorrow, it stays tomorrow, so that its limit cannot be spent twice.
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
    if day >= today then
      counted_day, count_r, count_t = day, stored_count_r, stored_count_t
    end
    if epoch > stored_epoch or (epoch == stored_epoch and sequence > stored_sequence) then
      changed = true
    else
      epoch, sequence = stored_epoch, stored_sequence
      if stored_rm ~= limit_rm or stored_rd ~= limit_rd
        or stored_tm ~= limit_tm or stored_td ~= limit_td then
        as_given = false
      end
      limit_rm, limit_rd, limit_tm, limit_td = stored_rm, stored_rd, stored_tm, stored_td
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
    -- A cost of 0 always fits. Most costs fit, so the waits are only computed for
    -- those that do not.
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
        -- Counted even without a limit, so that a limit set at noon includes the morning.
        count_r, count_t = count_r + requests, count_t + tokens
      end
      reply[parts] = pack('<Bdddd', 0, deficit_r, deficit_t, count_r, count_t)
    else
      local wait_rm, exceeds_rm = wait_of_minute(limit_rm, requests, deficit_r, behind)
      local wait_rd, exceeds_rd = wait_of_day(limit_rd, requests, count_r, behind, rest_of_day)
      local wait_tm, exceeds_tm = wait_of_minute(limit_tm, tokens, deficit_t, behind)
      local wait_td, exceeds_td = wait_of_day(limit_td, tokens, count_t, behind, rest_of_day)
      local refused_by, wait, exceeds = longest(
        { wait_rm, wait_rd, wait_tm, wait_td },
        { exceeds_rm, exceeds_rd, exceeds_tm, exceeds_td }
      )
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
      -- The expiry is already set to after the end of the counted day.
      redis.call('SET', key, state, 'KEEPTTL')
    else
      -- The jitter of up to a minute prevents all keys from expiring at the same time.
      local jitter = time[2] % 1000 * 60
      redis.call(
        'SET', key, state, 'PX', counted_until - now + KEPT_AFTER_MIDNIGHT + jitter
      )
    end
  end
  return next_at
end

-- Everything is read before anything is written. After that only the first write
-- can fail, and then nothing was charged to any organization.
local states = redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do
  -- MGET returns nil for a key of another type.
  -- https://redis.io/docs/latest/commands/mget/
  if not states[i] and redis.call('TYPE', KEYS[i])['ok'] ~= 'none' then states[i] = '' end
end

local at = 1
for i = 1, #KEYS do at = decide(KEYS[i], states[i], at) end
return table.concat(reply)
