-- Says that a shard, which came from another life, may lack puts: it takes some that nobody confirms.
-- KEYS: shard. ARGV: identity, life that its header has
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) == ARGV[1] and string.sub(header, 25, 32) == ARGV[2] then
  redis.call('setbit', KEYS[1], 321, 0)
end
return 1
