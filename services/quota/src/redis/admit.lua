-- Decides admissions of one organization, all four limits at once.
--
-- KEYS[1]     the organization's state
-- ARGV[1..2]  revision of the limits: epoch, sequence
-- ARGV[3..6]  limits: requests a minute, requests a day, tokens a minute,
--             tokens a day; -1 is unlimited
-- ARGV[7...]  costs in order of arrival: requests, tokens, requests, tokens ...
--
-- Reply       one binary string, little endian. Once: the clock, the next
--             midnight, the four limits in force (6 doubles). Then for each
--             cost: admitted (1 byte), number of the limit that refuses with
--             the longest wait or 0, whether the cost exceeds its capacity,
--             the wait, the resets of the two minute limits (3 uint32, ms),
--             what remains of the four limits (4 doubles).
--
-- State       one binary string: version (1 byte), then doubles: last clock
--             seen, epoch, sequence, four limits, deficits of requests and
--             tokens in 1/60000, day number, requests and tokens of that day.
--
-- Every number is an integer below 2^53, which a double holds exactly, for
-- limits and costs up to 10^11. Written only when something was charged, when
-- a newer revision arrived, or when the clock was put back by more than 5 s.

local MINUTE = 60000
local DAY = 86400000
local TOLERATED_STEP_BACK = 5000
local KEPT_AFTER_MIDNIGHT = 120000
local LARGEST_COUNT = 9007199254740991
local VERSION = 1
local STATE = '<Bdddddddddddd'

-- Not math.ceil(a / b), whose quotient is rounded.
local function divide_up(dividend, divisor)
  local rest = math.fmod(dividend, divisor)
  local quotient = (dividend - rest) / divisor
  if rest > 0 then return quotient + 1 end
  return quotient
end

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)

local epoch, sequence = tonumber(ARGV[1]), tonumber(ARGV[2])
local limits = { tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]) }

local now, elapsed = clock, 0
local today = math.floor(clock / DAY)
-- The day that is counted: today, or tomorrow after a step back over midnight.
local counted_day = today
local deficits = { 0, 0, 0, 0 }
local counts = { 0, 0, 0, 0 }
local changed = epoch > 0 or sequence > 0

local stored = redis.call('GET', KEYS[1])
if stored then
  local version, last, stored_epoch, stored_sequence, l1, l2, l3, l4, d1, d3, day, c2, c4 =
    struct.unpack(STATE, stored)
  if version ~= VERSION then return redis.error_reply('ERR state of an unknown version') end
  deficits[1], deficits[3] = d1, d3
  if last - clock > TOLERATED_STEP_BACK then
    -- Put back, as by a failover onto a bad clock: time goes on from here. It
    -- has to be written, or nothing would refill until the old time is reached.
    -- Tomorrow goes on being counted, or what it has spent would be spent again.
    changed = true
    if day ~= today + 1 then day = today end
  else
    changed = false
    if last > clock then now = last else elapsed = clock - last end
    today = math.floor(now / DAY)
  end
  counted_day = today
  if day >= today then counted_day, counts[2], counts[4] = day, c2, c4 end
  if epoch > stored_epoch or (epoch == stored_epoch and sequence > stored_sequence) then
    changed = true
  else
    epoch, sequence = stored_epoch, stored_sequence
    limits = { l1, l2, l3, l4 }
  end
end

local midnight = (today + 1) * DAY
local counted_until = (counted_day + 1) * DAY

for i = 1, 3, 2 do
  local limit = limits[i]
  if limit < 0 or elapsed >= MINUTE then
    deficits[i] = 0
  else
    -- Clamped before the refill, so that a lowered limit frees itself in a minute.
    deficits[i] = math.max(0, math.min(deficits[i], limit * MINUTE) - limit * elapsed)
  end
end

local reply = { struct.pack('<dddddd', now, midnight, limits[1], limits[2], limits[3], limits[4]) }

for argument = 7, #ARGV, 2 do
  local requests, tokens = tonumber(ARGV[argument]), tonumber(ARGV[argument + 1])
  local refused_by, wait, exceeds = 0, 0, 0

  for i = 1, 4 do
    local limit = limits[i]
    local cost = i < 3 and requests or tokens
    -- What costs a limit nothing is never refused by it.
    if limit >= 0 and cost > 0 then
      local this_wait, this_exceeds = 0, 0
      if cost > limit then
        -- Never shorter than that of a minute limit, which time would cure.
        this_wait, this_exceeds = MINUTE + (now - clock), 1
      elseif i % 2 == 1 then
        local missing = cost * MINUTE - (limit * MINUTE - deficits[i])
        -- By the store's clock, which may first have to reach the last time seen.
        if missing > 0 then this_wait = divide_up(missing, limit) + (now - clock) end
      elseif counts[i] + cost > limit then
        this_wait = counted_until - clock
      end
      if this_wait > wait or (this_wait == wait and this_exceeds > exceeds) then
        refused_by, wait, exceeds = i, this_wait, this_exceeds
      end
    end
  end

  if refused_by == 0 and (requests > 0 or tokens > 0) then
    changed = true
    if limits[1] >= 0 then deficits[1] = deficits[1] + requests * MINUTE end
    if limits[3] >= 0 then deficits[3] = deficits[3] + tokens * MINUTE end
    -- Counted without a limit too: one that is set at noon knows the morning.
    counts[2] = math.min(counts[2] + requests, LARGEST_COUNT)
    counts[4] = math.min(counts[4] + tokens, LARGEST_COUNT)
  end

  local reset1, reset3 = 0, 0
  if limits[1] > 0 then reset1 = divide_up(deficits[1], limits[1]) end
  if limits[3] > 0 then reset3 = divide_up(deficits[3], limits[3]) end
  reply[#reply + 1] = struct.pack(
    '<BBBI4I4I4dddd',
    refused_by == 0 and 1 or 0, refused_by, exceeds, wait, reset1, reset3,
    limits[1] - divide_up(deficits[1], MINUTE), math.max(0, limits[2] - counts[2]),
    limits[3] - divide_up(deficits[3], MINUTE), math.max(0, limits[4] - counts[4])
  )
end

if changed then
  -- The jitter keeps all organizations from expiring in the same moment.
  local jitter = time[2] % 1000 * 60
  redis.call(
    'SET', KEYS[1],
    struct.pack(
      STATE, VERSION, now, epoch, sequence, limits[1], limits[2], limits[3], limits[4],
      deficits[1], deficits[3], counted_day, counts[2], counts[4]
    ),
    'PX', counted_until - now + KEPT_AFTER_MIDNIGHT + jitter
  )
end

return table.concat(reply)
