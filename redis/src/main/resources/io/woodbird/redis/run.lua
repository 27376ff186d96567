-- The first line names one life of one server process. This script is loaded there and nowhere
-- else, and a process forgets its scripts when it ends: who can call it talks to that process.
-- KEYS: shard. ARGV: one of
--   nothing: reads the header
--   identity, token: vouches for the data
--   identity, token, name of the call, positions of counters: takes back a put, once per call;
--     returns 1 if done, 0 if a counter was 0, -1 if it is not that shard or not vouched for
if #ARGV == 0 then
  return redis.call('getrange', KEYS[1], 0, 63)
end
if redis.call('getrange', KEYS[1], 8, 15) ~= ARGV[1] then
  return #ARGV == 2 and 0 or -1
end
if #ARGV == 2 then
  redis.call('setrange', KEYS[1], 24, ARGV[2])
  return 1
end
if redis.call('getrange', KEYS[1], 24, 31) ~= ARGV[2] then
  return -1
end
local before = redis.call('get', ARGV[3])
if before then
  return tonumber(before)
end
local look = {'bitfield', KEYS[1]}
for i = 4, #ARGV do
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
    take[#take + 1] = ARGV[i + 3]
    take[#take + 1] = '-1'
  end
end
if all == 1 then
  redis.call(unpack(take))
end
redis.call('set', ARGV[3], all, 'px', 60000)
return all
