-- Notes that a writer has put its recent keys again in some shards, and names the writers that have not.
-- A build that goes on, and the way back to the last generation, end here: their links may be lost.
-- KEYS: record. ARGV: generation, life, shards as ',1,2,', id of the writer or ''
if redis.call('hexists', KEYS[1], 'gen:' .. ARGV[1]) == 0 then
  return {'the record'}
end
redis.call('hdel', KEYS[1], 'lease', 'leaseUntil')
if redis.call('hexists', KEYS[1], 'previous') == 1 then
  redis.call('hset', KEYS[1], 'ending', redis.call('hget', KEYS[1], 'previous'))
end
if ARGV[4] ~= '' then
  redis.call('hset', KEYS[1], 'back:' .. ARGV[2] .. ':' .. ARGV[4], ARGV[3])
end
local missing = {}
if redis.call('hexists', KEYS[1], 'listed') == 0 then
  missing[1] = 'nobody keeps a list of writers'
end
local prefix = 'writer:' .. ARGV[1] .. ':'
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  if string.sub(field, 1, #prefix) == prefix then
    local id = string.sub(field, #prefix + 1)
    local done = redis.call('hget', KEYS[1], 'back:' .. ARGV[2] .. ':' .. id) or ','
    for shard in string.gmatch(ARGV[3], '%d+') do
      if not string.find(done, ',' .. shard .. ',', 1, true) then
        missing[#missing + 1] = id
        break
      end
    end
  end
end
return missing
