-- Says that every acknowledged put is in a shard, in a life of its server.
-- KEYS: shard. ARGV: identity, life that the header must have, life meant, 1 if it must be whole now
-- Late, in another life, it does nothing or speaks of a life that no server shows again.
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) ~= ARGV[1] or string.sub(header, 25, 32) ~= ARGV[2] then
  return 0
end
if ARGV[4] == '1' and redis.call('getbit', KEYS[1], 321) == 0 then
  return 0 -- Nobody has ever vouched for it: it is not loaded yet, or stands in for a lost one.
end
if redis.call('getbit', KEYS[1], 319) == 1 then
  return 0 -- It is retired: puts may skip it.
end
redis.call('setbit', KEYS[1], 321, 1)
redis.call('setrange', KEYS[1], 24, ARGV[3])
return 1
