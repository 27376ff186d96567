-- Forgets a process whose data is not in doubt any more; with ARGV[2] = 1 also all writers.
-- KEYS: record. ARGV: token, 1 or 0
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  if field == 'doubt:' .. ARGV[1] or string.find(field, 'heal:' .. ARGV[1] .. ':', 1, true) == 1
      or (ARGV[2] == '1' and string.find(field, 'writer:', 1, true) == 1) then
    redis.call('hdel', KEYS[1], field)
  end
end
if ARGV[2] == '1' then
  redis.call('hset', KEYS[1], 'trusted:' .. ARGV[1], '1')
end
return 1
