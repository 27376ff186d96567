-- Removes a shard, if it is the right one, or what a blind write has left under its name.
-- KEYS: shard. ARGV: identity; without it only what a blind write has left
local header = redis.call('getrange', KEYS[1], 0, 15)
if string.sub(header, 1, 8) == string.rep('\0', 8) or string.sub(header, 9, 16) == ARGV[1] then
  return redis.call('unlink', KEYS[1])
end
return 0
