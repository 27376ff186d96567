-- Begins the end of the previous generation: from here on nobody can roll back to it.
-- KEYS: record. ARGV: number, 1 if its grace must be over
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('hget', KEYS[1], 'previous') ~= ARGV[1] then
  return 0
end
local grace = tonumber(redis.call('hget', KEYS[1], 'graceUntil') or '0')
local from = tonumber(redis.call('hget', KEYS[1], 'graceFrom') or '0')
-- No longer before it than after it: the clock may have been ahead when it was written.
if ARGV[2] == '1' and redis.call('hexists', KEYS[1], 'ending') == 0
    and now < grace and now >= from - (grace - from) then
  return 0
end
redis.call('hset', KEYS[1], 'ending', ARGV[1])
return 1
