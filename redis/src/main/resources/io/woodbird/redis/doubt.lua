-- Withdraws the word that the data of a shard is whole, so that every client sees it.
-- KEYS: shard. ARGV: identity, token that was given
if redis.call('getrange', KEYS[1], 8, 15) == ARGV[1]
    and redis.call('getrange', KEYS[1], 24, 31) == ARGV[2] then
  redis.call('setrange', KEYS[1], 24, string.rep('\0', 8))
  return 1
end
return 0
