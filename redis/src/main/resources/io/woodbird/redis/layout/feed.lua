-- Begins the log of a generation, or leaves a mark in it, to read on from.
-- KEYS: log. ARGV: mark, entries it may have, milliseconds it lives without a reader
local id = redis.call('xadd', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'm', ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[3])
return id
