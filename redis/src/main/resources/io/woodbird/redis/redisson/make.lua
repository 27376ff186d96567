-- Makes a filter as Redisson does, unless there is one, with all its bytes from the start.
-- KEYS: bits, config. ARGV: size, hashIterations, expectedInsertions, falseProbability
if redis.call('exists', KEYS[2]) == 0 then
  if redis.call('exists', KEYS[1]) == 1 then
    return 'bits'
  end
  redis.call('hset', KEYS[2], 'size', ARGV[1], 'hashIterations', ARGV[2],
    'expectedInsertions', ARGV[3], 'falseProbability', ARGV[4])
  redis.call('setbit', KEYS[1], ARGV[1] - 1, 0)
end
return 'done'
