-- Shows the record of a filter; makes one if there is none, or if its maker has died over it.
-- KEYS: record. ARGV: parameters of generation 1, id of the maker, milliseconds it may take,
-- 1 to make, level of durability
-- claim: a number that is higher than that of each maker before, also of one whose record is lost
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local claim = string.format('%.0f', math.max(now, 1 + (redis.call('hget', KEYS[1], 'claim') or 0)))
local state = redis.call('hget', KEYS[1], 'state:1')
if ARGV[4] == '1' and redis.call('exists', KEYS[1]) == 0 then
  redis.call('hset', KEYS[1], 'format', '1', 'current', '1', 'last', '1', 'level', ARGV[5],
    'gen:1', ARGV[1], 'state:1', 'making', 'maker', ARGV[2], 'claim', claim,
    'until', string.format('%.0f', now + ARGV[3]))
elseif ARGV[4] == '1' and state == 'making'
    -- Over, or so far ahead that the clock must have been ahead when it was written.
    and math.abs(now + ARGV[3] - redis.call('hget', KEYS[1], 'until')) > tonumber(ARGV[3]) then
  redis.call('hset', KEYS[1], 'gen:1', ARGV[1], 'level', ARGV[5], 'maker', ARGV[2], 'claim', claim,
    'until', string.format('%.0f', now + ARGV[3]))
end
return redis.call('hgetall', KEYS[1])
