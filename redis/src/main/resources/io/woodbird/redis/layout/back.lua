-- Data came back from a file or a replica, and somebody is about to vouch for it: a build that goes on,
-- and the way back to the last generation, end here, as their links may be lost.
-- KEYS: record. ARGV: generation. Returns 0 if it is not the current one: then it may lack puts
if redis.call('hget', KEYS[1], 'current') ~= ARGV[1] then
  return 0
end
-- Sent to replicas also if nothing changes; else WAIT behind a repeated call would prove nothing.
redis.call('hset', KEYS[1], 'current', ARGV[1])
redis.call('hdel', KEYS[1], 'lease', 'leaseFrom', 'leaseUntil')
if redis.call('hexists', KEYS[1], 'previous') == 1 then
  redis.call('hset', KEYS[1], 'ending', redis.call('hget', KEYS[1], 'previous'))
end
return 1
