-- Shows the record of a filter, and what time it is.
-- KEYS: record. Returns: milliseconds, record
local time = redis.call('time')
return {time[1] * 1000 + math.floor(time[2] / 1000), redis.call('hgetall', KEYS[1])}
