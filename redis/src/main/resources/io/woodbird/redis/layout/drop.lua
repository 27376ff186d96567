-- Takes a generation out of the record: a build that is given up, or one whose grace is over.
-- KEYS: record. ARGV: number, id of the builder that gives up or ''
if redis.call('hget', KEYS[1], 'current') == ARGV[1] then
  return 0
end
if redis.call('hget', KEYS[1], 'next') == ARGV[1] then
  if redis.call('hget', KEYS[1], 'lease') ~= ARGV[2] then
    return 0
  end
  redis.call('hdel', KEYS[1], 'next', 'lease', 'leaseUntil')
end
if redis.call('hget', KEYS[1], 'previous') == ARGV[1] then
  if ARGV[2] ~= '' then
    return 0 -- A build that was swapped in, and rolled back.
  end
  redis.call('hdel', KEYS[1], 'previous', 'graceUntil', 'ending')
end
redis.call('hdel', KEYS[1], 'gen:' .. ARGV[1], 'state:' .. ARGV[1], 'built:' .. ARGV[1])
return 1
