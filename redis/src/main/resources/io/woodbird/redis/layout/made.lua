-- Ends the making of generation 1: it is ready, or (ARGV[2] = 0) it is given up.
-- KEYS: record. ARGV: id of the maker, 1 or 0
if redis.call('hget', KEYS[1], 'maker') ~= ARGV[1] then
  return 0
end
if ARGV[2] == '1' then
  redis.call('hset', KEYS[1], 'state:1', 'ready')
  redis.call('hdel', KEYS[1], 'maker', 'until')
else
  redis.call('unlink', KEYS[1])
end
return 1
