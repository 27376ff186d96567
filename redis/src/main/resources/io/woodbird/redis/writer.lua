-- Notes a writer whose puts the master alone may hold.
-- KEYS: record. ARGV: generation, id of the writer
if redis.call('hexists', KEYS[1], 'gen:' .. ARGV[1]) == 0 then
  return 0
end
redis.call('hset', KEYS[1], 'writer:' .. ARGV[1] .. ':' .. ARGV[2], '1')
return 1
