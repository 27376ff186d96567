-- Asks writers to feed the log of a shard, and leaves a mark in it to read on from.
-- KEYS: shard, log. ARGV: identity
if redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1] then
  return 0
end
redis.call('setbit', KEYS[1], 320, 1)
local id = redis.call('xadd', KEYS[2], 'MAXLEN', '~', 200, '*', 'm', '')
redis.call('pexpire', KEYS[2], 60000)
return id
