-- Makes a shard of zeros behind its header, unless something is there that must stay.
-- KEYS: shard. ARGV: header, length in bytes, what may be overwritten: 'lost' what a blind write has
-- left; 'any' all but this very shard; a number: what a blind write has left, and a shard without
-- puts, of any identity, that was made no later: its birth is no higher than that
local found = redis.pcall('getrange', KEYS[1], 0, 63)
if type(found) ~= 'string' and ARGV[3] ~= 'any' then
  return found
end
if type(found) ~= 'string' or found ~= '' then
  local text = type(found) == 'string' and found or ''
  if string.sub(text, 9, 16) == string.sub(ARGV[1], 9, 16) then
    return 1
  end
  local blind = string.sub(text, 1, 16) == string.rep('\0', 16)
  local claim = tonumber(ARGV[3])
  local unused = claim and string.sub(text, 1, 8) == string.sub(ARGV[1], 1, 8)
    and string.sub(text, 17, 24) == string.rep('\0', 8)
    and redis.call('bitfield', KEYS[1], 'get', 'i64', 384)[1] <= claim
  if not (ARGV[3] == 'any' or blind or unused) then
    return text
  end
  redis.call('unlink', KEYS[1])
end
redis.call('setrange', KEYS[1], ARGV[2] - 1, '\0')
redis.call('setrange', KEYS[1], 0, ARGV[1])
return 1
