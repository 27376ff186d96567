-- Puts keys into the newest part of a shard of a window; first clears the parts that have left it.
-- KEYS: shard. ARGV: identity, milliseconds of the window, keys that a part is sized for, bits of a
-- key, then the places of the bits of each key in part 0. Part p of a block is its bytes 64 p to
-- 64 p + 63. Behind the blocks: the newest part, when it began, how many keys it took, and the time
-- of the last put into each part, 0 if it is empty.
-- Returns the header, then for each key 0 if no part had it, else 1
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) ~= ARGV[1] then
  return {header}
end
local span = tonumber(ARGV[2])
local state = redis.call('strlen', KEYS[1]) - 88
local numbers = {'bitfield', KEYS[1]}
for i = 0, 10 do
  numbers[3 * i + 3] = 'get'
  numbers[3 * i + 4] = 'i64'
  numbers[3 * i + 5] = 8 * state + 64 * i
end
numbers = redis.call(unpack(numbers))
local newest, begun, taken = numbers[1], numbers[2], numbers[3]
local last = {}
for part = 0, 7 do
  last[part] = numbers[4 + part]
end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Where the clock goes back, time goes on from where it was; the header says how far that is ahead.
local ahead = 0
if now < last[newest] then
  ahead = math.max(last[newest] - now, redis.call('bitfield', KEYS[1], 'get', 'u48', 464)[1])
  now = now + ahead
end
if now - last[newest] > span then
  if last[newest] > 0 then
    redis.call('setrange', KEYS[1], 64, string.rep('\0', state - 64))
  end
  for part = 0, 7 do
    last[part] = 0
  end
  begun, taken = now, 0
elseif 7 * (now - begun) >= span or taken >= tonumber(ARGV[3]) then
  local zeros = string.rep('\0', 64)
  for part = 0, 7 do
    if last[part] > 0 and now - last[part] > span then
      for at = 64 + 64 * part, state - 1, 512 do
        redis.call('setrange', KEYS[1], at, zeros)
      end
      last[part] = 0
    end
  end
  local next = (newest + 1) % 8
  if last[next] == 0 then -- Else the newest one must take more than it is sized for.
    newest, begun, taken = next, now, 0
  end
end
last[newest] = now
local bits = tonumber(ARGV[4])
local byte, floor = string.byte, math.floor
local reply = {''}
for from = 5, #ARGV, bits do
  -- The whole block at once: with BITFIELD for 56 bits a put took twice the time of the server.
  local start = 64 + 512 * floor((ARGV[from] / 8 - 64) / 512)
  local block = redis.call('getrange', KEYS[1], start, start + 511)
  local function missing(part)
    for i = from, from + bits - 1 do
      local value = byte(block, floor(ARGV[i] / 8) - start + 64 * part + 1)
      if floor(value / 2 ^ (7 - ARGV[i] % 8)) % 2 == 0 then
        return true
      end
    end
    return false
  end
  local has = 1
  if missing(newest) then
    taken = taken + 1
    local set = {'bitfield', KEYS[1]}
    for i = from, from + bits - 1 do
      set[#set + 1] = 'set'
      set[#set + 1] = 'u1'
      set[#set + 1] = string.format('%.0f', ARGV[i] + 512 * newest)
      set[#set + 1] = 1
    end
    redis.call(unpack(set))
    has = 0
    for part = 0, 7 do
      if part ~= newest and has == 0 and not missing(part) then
        has = 1
      end
    end
  end
  reply[#reply + 1] = has
end
local write = {'bitfield', KEYS[1], 'incrby', 'i64', 128, 1, 'set', 'u48', 464, ahead}
for i = 0, 10 do
  local number = i == 0 and newest or i == 1 and begun or i == 2 and taken or last[i - 3]
  write[4 * i + 11] = 'set'
  write[4 * i + 12] = 'i64'
  write[4 * i + 13] = 8 * state + 64 * i
  write[4 * i + 14] = string.format('%.0f', number)
end
redis.call(unpack(write))
reply[1] = redis.call('getrange', KEYS[1], 0, 63)
return reply
