-- Takes back a put, once per ticket, if the shard is whole in the life of this server.
-- KEYS: shard. ARGV: identity, life, the same in hex, name of the ticket, positions of counters
-- Returns 1 if done, 0 if a counter was 0, -1 if it is not that shard, or in doubt, or if the ticket
-- is gone: it may have been used
local info = redis.call('info', 'replication')
if not string.find(info, '\nrole:master\r', 1, true)
    or not string.find(info, '\nmaster_replid:' .. ARGV[3], 1, true)
    or redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1]
    or redis.call('getrange', KEYS[1], 24, 31) ~= ARGV[2]
    or redis.call('getbit', KEYS[1], 321) == 0 then
  return -1
end
local ticket = redis.call('get', ARGV[4])
if not ticket then
  return -1
elseif ticket ~= '' then
  return tonumber(ticket)
end
local look = {'bitfield', KEYS[1]}
for i = 5, #ARGV do
  look[#look + 1] = 'get'
  look[#look + 1] = 'u4'
  look[#look + 1] = ARGV[i]
end
local counts = redis.call(unpack(look))
local all = 1
local take = {'bitfield', KEYS[1], 'incrby', 'i64', '128', '1'}
for i, count in ipairs(counts) do
  if count == 0 then
    all = 0
  elseif count < 15 then -- A counter that was full stays full: how many it has lost is not known.
    take[#take + 1] = 'incrby'
    take[#take + 1] = 'u4'
    take[#take + 1] = ARGV[i + 4]
    take[#take + 1] = '-1'
  end
end
if all == 1 then
  redis.call(unpack(take))
end
redis.call('set', ARGV[4], all, 'keepttl')
return all
