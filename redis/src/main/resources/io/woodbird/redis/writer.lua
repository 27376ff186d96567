-- Enters a writer whose puts the master alone may hold.
-- KEYS: record. ARGV: generation, id of the writer, how often the data was trusted, 1 to enter
-- even where no entry is asked for
-- Returns 0 if there is no such generation, 1 if entered, 2 if the filter keeps no list of writers
if redis.call('hexists', KEYS[1], 'gen:' .. ARGV[1]) == 0 then
  return 0
end
if ARGV[4] ~= '1' and redis.call('hexists', KEYS[1], 'listed') == 0 then
  return 2
end
redis.call('hset', KEYS[1], 'writer:' .. ARGV[1] .. ':' .. ARGV[2], ARGV[3])
return 1
