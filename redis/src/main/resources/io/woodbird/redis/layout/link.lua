-- Says in a shard which other generation takes its puts too, and whether it is retired.
-- KEYS: shard. ARGV: identity, link, rule
-- Rule 'rise': only to a higher link. A number: only if that is the link now. 'end': always, and the
-- shard is not whole from here on, as puts will skip it.
-- Returns 1 if done, 0 if it is not that shard, 2 if the rule forbids it
if redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1] then
  return 0
end
local now = redis.call('bitfield', KEYS[1], 'get', 'i64', 256)[1]
if ARGV[3] == 'rise' then
  if tonumber(ARGV[2]) < now then
    return 2
  end
elseif ARGV[3] == 'end' then
  redis.call('setbit', KEYS[1], 321, 0)
elseif tonumber(ARGV[3]) ~= now then
  return 2
end
redis.call('bitfield', KEYS[1], 'set', 'i64', 256, ARGV[2])
-- A command that changes nothing is not sent to replicas, and WAIT behind it proves nothing: this is.
redis.call('setrange', KEYS[1], 32, redis.call('getrange', KEYS[1], 32, 39))
return 1
