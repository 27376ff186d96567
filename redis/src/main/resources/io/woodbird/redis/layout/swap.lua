-- Makes another generation the current one, if nothing has changed meanwhile.
-- KEYS: record. ARGV: from, to, id of the builder or '' to roll back, milliseconds of grace,
-- how many keys were built and in how many milliseconds
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('hget', KEYS[1], 'current') ~= ARGV[1]
    or redis.call('hexists', KEYS[1], 'gen:' .. ARGV[2]) == 0 then
  return 0
end
if ARGV[3] ~= '' then
  if redis.call('hget', KEYS[1], 'lease') ~= ARGV[3]
      or redis.call('hget', KEYS[1], 'next') ~= ARGV[2]
      or redis.call('hexists', KEYS[1], 'previous') == 1 then
    return 0
  end
  redis.call('hdel', KEYS[1], 'lease', 'leaseFrom', 'leaseUntil', 'next')
  redis.call('hset', KEYS[1], 'built:' .. ARGV[2], ARGV[5] .. ' ' .. string.format('%.0f', now))
elseif redis.call('hget', KEYS[1], 'previous') ~= ARGV[2]
    or redis.call('hexists', KEYS[1], 'next') == 1
    or redis.call('hexists', KEYS[1], 'ending') == 1 then
  return 0
end
redis.call('hset', KEYS[1], 'current', ARGV[2], 'previous', ARGV[1], 'state:' .. ARGV[2], 'ready',
  'graceFrom', string.format('%.0f', now),
  'graceUntil', string.format('%.0f', now + tonumber(ARGV[4])))
return 1
