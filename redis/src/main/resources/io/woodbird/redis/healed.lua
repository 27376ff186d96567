-- Forgets processes whose data is not in doubt any more.
-- KEYS: record. ARGV: token that is vouched for now or '', 1 to forget all writers too, then
--   a generation and its tokens in use as ',a,b,': all others of that generation are gone; or ''
local function forget(token)
  redis.call('hdel', KEYS[1], 'doubt:' .. token)
  for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
    if string.find(field, 'heal:' .. token .. ':', 1, true) == 1 then
      redis.call('hdel', KEYS[1], field)
    end
  end
end
if ARGV[1] ~= '' then
  forget(ARGV[1])
end
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  local token = string.match(field, '^doubt:(.+)$')
  if ARGV[2] == '1' and string.find(field, 'writer:', 1, true) == 1 then
    redis.call('hdel', KEYS[1], field)
  elseif token and redis.call('hget', KEYS[1], field) == ARGV[3]
      and not string.find(ARGV[4], ',' .. token .. ',', 1, true) then
    forget(token)
    redis.call('hdel', KEYS[1], 'base:' .. token)
  end
end
if ARGV[2] == '1' then
  redis.call('hset', KEYS[1], 'trusted:' .. ARGV[1], '1')
end
return 1
