-- Removes what a blind write has left under the name of a shard that is gone.
-- KEYS: shard
if redis.call('getrange', KEYS[1], 0, 7) == string.rep('\0', 8) then
  return redis.call('unlink', KEYS[1])
end
return 0
