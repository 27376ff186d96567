-- Asks writers of a shard to add their puts to the log, or (rule 'end') to do so no more.
-- KEYS: shard. ARGV: identity, token of who asks, 'begin' or 'end'
-- The end is refused if another asked meanwhile: its log is there.
if redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1] then
  return 0
end
if ARGV[3] == 'begin' then
  redis.call('bitfield', KEYS[1], 'set', 'u1', 320, 1, 'set', 'u32', 352, ARGV[2])
elseif redis.call('bitfield', KEYS[1], 'get', 'u32', 352)[1] == tonumber(ARGV[2]) then
  redis.call('setbit', KEYS[1], 320, 0)
end
return 1
