-- The first line names one life of one server process. This script is loaded there and nowhere
-- else, and a process forgets its scripts when it ends: who can call it talks to that process.
-- KEYS: shard. ARGV: nothing, to read the header; or identity and token, to vouch for the data
if #ARGV == 0 then
  return redis.call('getrange', KEYS[1], 0, 63)
end
if redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1] then
  return 0
end
redis.call('setrange', KEYS[1], 24, ARGV[2])
return 1
