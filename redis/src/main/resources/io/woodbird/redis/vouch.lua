-- Says that every acknowledged put is in a shard, if its data was marked in the life meant.
-- KEYS: shard. ARGV: identity, life, how often it was trusted
-- Late, in another life, it does nothing or speaks of a life that no server shows again.
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) ~= ARGV[1] or string.sub(header, 25, 32) ~= ARGV[2] then
  return 0
end
redis.call('setbit', KEYS[1], 321, 1)
if redis.call('bitfield', KEYS[1], 'get', 'u32', 352)[1] < tonumber(ARGV[3]) then
  redis.call('bitfield', KEYS[1], 'set', 'u32', 352, ARGV[3])
end
return 1
