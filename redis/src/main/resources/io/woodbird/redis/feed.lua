-- Asks writers to feed the log of a shard, and leaves a mark in it to read on from.
-- KEYS: shard, log. ARGV: identity
if redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1] then
  return 0
end
redis.call('setbit', KEYS[1], 320, 1)
return redis.call('xadd', KEYS[2], 'MAXLEN', '~', 10000, '*', 'm', '')
