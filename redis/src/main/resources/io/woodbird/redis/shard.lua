-- Makes a shard of zeros behind its header, unless something is there.
-- KEYS: shard. ARGV: header, length in bytes, identity that may be overwritten or ''
local found = redis.call('getrange', KEYS[1], 0, 63)
if found ~= '' then
  local identity = string.sub(found, 9, 16)
  if identity == string.sub(ARGV[1], 9, 16) then
    return 1
  end
  if ARGV[3] == '' or identity ~= ARGV[3] then
    return found
  end
  redis.call('unlink', KEYS[1])
end
redis.call('setrange', KEYS[1], ARGV[2] - 1, '\0')
redis.call('setrange', KEYS[1], 0, ARGV[1])
return 1
