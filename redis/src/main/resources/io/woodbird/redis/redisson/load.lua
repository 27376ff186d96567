-- Adds the bits of a second string to a filter of Redisson's, and keeps its time to live.
-- KEYS: bits, config. ARGV: size, hashIterations, bytes that were there before, name of the second
-- string (removed)
-- Returns 'done', 'config' or 'gone'
local config = redis.call('hmget', KEYS[2], 'size', 'hashIterations')
if config[1] ~= ARGV[1] or config[2] ~= ARGV[2] then
  redis.call('unlink', ARGV[4])
  return 'config'
end
if redis.call('strlen', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('unlink', ARGV[4])
  return 'gone'
end
local length = redis.call('strlen', ARGV[4])
if length == 0 or length > math.ceil(tonumber(ARGV[1]) / 8) then
  redis.call('unlink', ARGV[4])
  return redis.error_reply('LOST the bits to be added are gone')
end
local expires = redis.call('pexpiretime', KEYS[1])
redis.call('bitop', 'or', KEYS[1], KEYS[1], ARGV[4])
if expires > 0 then
  redis.call('pexpireat', KEYS[1], expires)
end
redis.call('unlink', ARGV[4])
return 'done'
