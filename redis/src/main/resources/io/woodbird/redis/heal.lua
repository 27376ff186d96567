-- Notes that a writer has put its recent keys again in some shards, and names the writers that have not.
-- KEYS: record. ARGV: generation, token, shards as ',1,2,', id of the writer or ''
if ARGV[4] ~= '' then
  redis.call('hset', KEYS[1], 'heal:' .. ARGV[2] .. ':' .. ARGV[4], ARGV[3])
end
local missing = {}
local prefix = 'writer:' .. ARGV[1] .. ':'
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  if string.sub(field, 1, #prefix) == prefix then
    local id = string.sub(field, #prefix + 1)
    local done = redis.call('hget', KEYS[1], 'heal:' .. ARGV[2] .. ':' .. id) or ','
    for shard in string.gmatch(ARGV[3], '%d+') do
      if not string.find(done, ',' .. shard .. ',', 1, true) then
        missing[#missing + 1] = id
        break
      end
    end
  end
end
return missing
