-- Puts keys into the newest level of a shard that grows; begins the next level when it is full.
-- KEYS: shard. ARGV: identity; number of bits of a key; number of levels that these arguments
-- describe; most levels that the shard may have; for each described level, where it ends in the shard
-- and how many keys it takes; for each key, where its block begins in each described level, and its
-- bits in a block. The header has the number of levels beyond the first (16 bits) and the number of
-- keys in the newest level (48 bits).
-- Returns the header, then for each key 0 if no level had it, else 1. If more levels must be
-- described, puts nothing and returns the header alone
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) ~= ARGV[1] then
  return {header}
end
local bits, told = tonumber(ARGV[2]), tonumber(ARGV[3])
local first = 5 + 2 * told
local words = told + bits
local numbers = redis.call('bitfield', KEYS[1], 'get', 'u16', 448, 'get', 'u48', 464)
local newest, taken = numbers[1], numbers[2]
local room = -taken
for level = newest, told - 1 do
  room = room + ARGV[6 + 2 * level]
end
if newest >= told or (told < tonumber(ARGV[4]) and room * words < #ARGV - first + 1) then
  return {header}
end
local byte, floor = string.byte, math.floor
local reply = {''}
for from = first, #ARGV, words do
  local has = 0
  for level = newest, 0, -1 do
    local start = ARGV[from + level] / 8
    local block = redis.call('getrange', KEYS[1], start, start + 63)
    local all = 1
    for i = from + told, from + words - 1 do
      local value = byte(block, floor(ARGV[i] / 8) + 1)
      if floor(value / 2 ^ (7 - ARGV[i] % 8)) % 2 == 0 then
        all = 0
        break
      end
    end
    if all == 1 then
      has = 1
      break
    end
  end
  if has == 0 then
    if taken >= tonumber(ARGV[6 + 2 * newest]) and newest + 1 < told then
      newest, taken = newest + 1, 0
      redis.call('setrange', KEYS[1], ARGV[5 + 2 * newest] - 1, '\0')
    end
    local set = {'bitfield', KEYS[1]}
    for i = from + told, from + words - 1 do
      set[#set + 1] = 'set'
      set[#set + 1] = 'u1'
      set[#set + 1] = string.format('%.0f', ARGV[from + newest] + ARGV[i])
      set[#set + 1] = 1
    end
    redis.call(unpack(set))
    taken = taken + 1
  end
  reply[#reply + 1] = has
end
redis.call('bitfield', KEYS[1], 'incrby', 'i64', 128, 1, 'set', 'u16', 448, newest, 'set', 'u48', 464, taken)
reply[1] = redis.call('getrange', KEYS[1], 0, 63)
return reply
