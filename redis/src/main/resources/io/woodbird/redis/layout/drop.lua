-- Takes a generation out of the record: a build that is given up, or one whose grace is over.
-- KEYS: record. ARGV: number, id of the builder that gives up or ''
if redis.call('hget', KEYS[1], 'current') == ARGV[1] then
  return 0
end
if redis.call('hget', KEYS[1], 'next') == ARGV[1] then
  local lease = redis.call('hget', KEYS[1], 'lease')
  if lease and lease ~= ARGV[2] then -- If there is none, see back.lua.
    return 0
  end
  redis.call('hdel', KEYS[1], 'next', 'lease', 'leaseFrom', 'leaseUntil')
end
if redis.call('hget', KEYS[1], 'previous') == ARGV[1] then
  if ARGV[2] ~= '' then
    return 0 -- A build that was swapped in, and rolled back.
  end
  redis.call('hdel', KEYS[1], 'previous', 'graceFrom', 'graceUntil', 'ending')
end
redis.call('hdel', KEYS[1], 'gen:' .. ARGV[1], 'state:' .. ARGV[1], 'built:' .. ARGV[1])
return 1
