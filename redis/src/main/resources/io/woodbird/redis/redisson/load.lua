-- Adds the bits of a second string to a filter of Redisson's, and keeps its time to live.
-- KEYS: bits, config. ARGV: size, hashIterations, name of the second string (removed)
local config = redis.call('hmget', KEYS[2], 'size', 'hashIterations')
if config[1] ~= ARGV[1] or config[2] ~= ARGV[2] then
  redis.call('unlink', ARGV[3])
  return 'config'
end
local length = redis.call('strlen', ARGV[3])
if length == 0 or length > math.ceil(tonumber(ARGV[1]) / 8) then
  redis.call('unlink', ARGV[3])
  return redis.error_reply('LOST the bits to be added are gone')
end
local expires = redis.call('pexpiretime', KEYS[1])
redis.call('bitop', 'or', KEYS[1], KEYS[1], ARGV[3])
if expires > 0 then
  redis.call('pexpireat', KEYS[1], expires)
end
redis.call('unlink', ARGV[3])
return 'done'
