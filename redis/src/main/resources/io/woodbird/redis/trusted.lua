-- Forgets writers whose puts are known to be safe, and what was put again in earlier lives.
-- KEYS: record. ARGV: generation, how often the data was trusted; writers entered before that go;
-- 1 to keep a list of writers from here on, 0 to keep none
local prefix = 'writer:' .. ARGV[1] .. ':'
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  if string.sub(field, 1, #prefix) == prefix
      and tonumber(redis.call('hget', KEYS[1], field)) < tonumber(ARGV[2]) then
    redis.call('hdel', KEYS[1], field)
  elseif string.sub(field, 1, 5) == 'back:' then
    redis.call('hdel', KEYS[1], field)
  end
end
if ARGV[3] == '1' then
  redis.call('hset', KEYS[1], 'listed', '1')
end
return 1
