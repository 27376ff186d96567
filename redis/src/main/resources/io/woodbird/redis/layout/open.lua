-- Shows the record of a filter; makes one if there is none, or if its maker has died over it.
-- KEYS: record. ARGV: parameters of generation 1, id of the maker, milliseconds it may take,
-- 1 to make, level of durability
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('hget', KEYS[1], 'state:1')
if ARGV[4] == '1' and redis.call('exists', KEYS[1]) == 0 then
  redis.call('hset', KEYS[1], 'format', '1', 'current', '1', 'last', '1', 'level', ARGV[5],
    'gen:1', ARGV[1], 'state:1', 'making', 'maker', ARGV[2], 'until', string.format('%.0f', now + ARGV[3]))
elseif ARGV[4] == '1' and state == 'making'
    and now > tonumber(redis.call('hget', KEYS[1], 'until')) then
  redis.call('hset', KEYS[1], 'gen:1', ARGV[1], 'level', ARGV[5], 'maker', ARGV[2], 'until', string.format('%.0f', now + ARGV[3]))
end
return redis.call('hgetall', KEYS[1])
