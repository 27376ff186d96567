-- Takes the lease for a build and the number of a new generation, unless another builder lives.
-- KEYS: record. ARGV: id of the builder, milliseconds, parameters of the new generation, number of
-- the generation that is current, as the builder knows it, and its parameters
-- Returns 0, or: the number, the number of a build that was given up or 0
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('hget', KEYS[1], 'current') ~= ARGV[4]
    or redis.call('hget', KEYS[1], 'gen:' .. ARGV[4]) ~= ARGV[5] then
  return 0
end
local lease = tonumber(redis.call('hget', KEYS[1], 'leaseUntil') or '0')
local from = tonumber(redis.call('hget', KEYS[1], 'leaseFrom') or '0')
-- No longer before it than after it: the clock may have been ahead when it was written.
if now <= lease and now >= from - (lease - from) then
  return 0
end
local dead = redis.call('hget', KEYS[1], 'next') or '0'
local number = redis.call('hincrby', KEYS[1], 'last', 1)
redis.call('hset', KEYS[1], 'lease', ARGV[1], 'leaseFrom', string.format('%.0f', now), 'leaseUntil',
  string.format('%.0f', now + tonumber(ARGV[2])), 'next', number, 'gen:' .. number, ARGV[3],
  'state:' .. number, 'making')
return {number, tonumber(dead)}
