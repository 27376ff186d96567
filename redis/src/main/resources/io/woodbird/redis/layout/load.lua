-- Adds the bits of a second string to a shard, if it is the right one, and keeps its time to live.
-- KEYS: shard, bits (removed). ARGV: identity
local header = redis.call('getrange', KEYS[1], 0, 63)
if string.sub(header, 9, 16) ~= ARGV[1] then
  redis.call('unlink', KEYS[2])
  return header
end
if redis.call('strlen', KEYS[1]) ~= redis.call('strlen', KEYS[2]) then
  redis.call('unlink', KEYS[2])
  return redis.error_reply('LOST the bits to be added are gone, or the shard has another length')
end
local expires = redis.call('pexpiretime', KEYS[1])
redis.call('bitop', 'or', KEYS[1], KEYS[1], KEYS[2])
redis.call('bitfield', KEYS[1], 'incrby', 'i64', 128, 1)
if expires > 0 then
  redis.call('pexpireat', KEYS[1], expires)
end
redis.call('unlink', KEYS[2])
return redis.call('getrange', KEYS[1], 0, 63)
