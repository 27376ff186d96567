-- First contact with a shard in a new life of its server: nobody vouches for it from here on.
-- KEYS: shard. ARGV: identity, life (zeros: withdraws the word that it is whole)
-- Returns the header as it is then. Notes what the data came out of its last whole life with.
-- Late, in yet another life, it only makes the header's life differ from the server's: doubt.
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) ~= ARGV[1] or string.sub(header, 25, 32) == ARGV[2] then
  return header
end
if redis.call('getbit', KEYS[1], 321) == 1 then
  redis.call('setbit', KEYS[1], 321, 0)
  redis.call('setrange', KEYS[1], 48, string.sub(header, 25, 32) .. string.sub(header, 17, 24))
end
redis.call('setrange', KEYS[1], 24, ARGV[2])
return redis.call('getrange', KEYS[1], 0, 63)
