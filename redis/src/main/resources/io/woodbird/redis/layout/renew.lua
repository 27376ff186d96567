-- Prolongs the lease of a builder that still has it.
-- KEYS: record. ARGV: id of the builder, number it builds, milliseconds
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('hget', KEYS[1], 'lease') ~= ARGV[1]
    or redis.call('hget', KEYS[1], 'next') ~= ARGV[2] then
  return 0
end
redis.call('hset', KEYS[1], 'leaseFrom', string.format('%.0f', now),
  'leaseUntil', string.format('%.0f', now + tonumber(ARGV[3])))
return 1
