-- Puts keys into a filter of Redisson's, if its parameters are the expected ones.
-- KEYS: bits, config. ARGV: size, hashIterations, bytes that were there before, then the positions of
-- each key
-- Returns 'config' or 'gone', or one digit per key: 1 if it was new
local config = redis.call('hmget', KEYS[2], 'size', 'hashIterations')
if config[1] ~= ARGV[1] or config[2] ~= ARGV[2] then
  return 'config'
end
if redis.call('strlen', KEYS[1]) < tonumber(ARGV[3]) then
  return 'gone' -- Bits that are made again would look like all of them.
end
local hashes = tonumber(ARGV[2])
local fresh = {}
for from = 4, #ARGV, hashes do
  local new = '0'
  for at = from, from + hashes - 1 do
    if redis.call('setbit', KEYS[1], ARGV[at], 1) == 0 then
      new = '1'
    end
  end
  fresh[#fresh + 1] = new
end
return table.concat(fresh)
