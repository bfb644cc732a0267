"""The script by which Redis gives the turns of provider calls, whole or not at all: `shared_turns.py` calls it.

    await redis.evalsha(sha, 1, "inview:0:turns", "want", process_id, 200, 20, 12_000, call_id, "ada", "a target")

Arguments: what to do, the process, the limits of all and of a person (-1: none), the lease of a process in ms, then
what belongs to what is done. The answer is `{known, admitted, seen}`: whether the process has a lease, else nothing was
done; its calls that have their turns now, "id" or "id first"; for `beat` a pair for each call that was named, how many
are ahead and for how many ms its target is left alone, or of one that is on: -1, and 1 if it goes first.

What it keeps, by names that begin with that of the key: `waiting` has the place of each waiting call, by its round;
`places` has the place of each call, by its id; `sums` has counts; `alive` has when the lease of each process ends;
`of:` a process, its calls; `rest:` a target, until when it is left alone; `first:` a target, the call that goes first.

It publishes in the channel of that name: "moved" when others are ahead of calls that wait, "rest target ms", "end
target"; and in that of a process (name, colon, process) which of its calls have their turns.
"""

from typing import Final

# After each step nobody waits who could have a turn, unless a rest has just ended, which the next beat sees. So a step
# that frees nothing need not walk the queue.
SCRIPT: Final = """
local name, op, process = KEYS[1], ARGV[1], ARGV[2]
local in_all, per_person, lease = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local waiting, places, sums, alive = name .. ':waiting', name .. ':places', name .. ':sums', name .. ':alive'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local REMEMBERED = 600000
local mine, seen = {}, {}

local function calls_of(one) return name .. ':of:' .. one end
local function rest_of(target) return name .. ':rest:' .. target end
local function first_of(target) return name .. ':first:' .. target end
local function split(place) return string.match(place, '^(%S+) (%S+) (%S+) (%S+) (%S+)$') end
local function sum(of) return tonumber(redis.call('HGET', sums, of) or 0) end
local function is_full(on, limit) return limit >= 0 and on >= limit end
local function add(of, by)
  local left = redis.call('HINCRBY', sums, of, by)
  if left <= 0 then redis.call('HDEL', sums, of) end
  return left
end

local function enter(id, owner, target)
  local number = redis.call('HINCRBY', sums, 'number', 1)
  local place = string.format('%014d %s %s %s %s', number, process, id, owner, target)
  redis.call('HSET', places, id, place)
  redis.call('SADD', calls_of(process), id)
  add('wanted ' .. owner, 1)
  return place
end

local function wait(id, owner, target)
  local round = math.max(sum('round'), sum('last ' .. owner)) + 1
  redis.call('HSET', sums, 'last ' .. owner, round)
  local place = enter(id, owner, target)
  redis.call('ZADD', waiting, round, place)
  return place, round
end

local function leave(id)
  local place = redis.call('HGET', places, id)
  if not place then return false end
  local frees = false
  local _, of_process, _, owner, target = split(place)
  redis.call('HDEL', places, id)
  redis.call('SREM', calls_of(of_process), id)
  if redis.call('ZREM', waiting, place) == 0 then
    frees = is_full(sum('all'), in_all) or is_full(sum('on ' .. owner), per_person)
    add('all', -1)
    add('on ' .. owner, -1)
  end
  if add('wanted ' .. owner, -1) <= 0 then redis.call('HDEL', sums, 'last ' .. owner) end
  if redis.call('GET', first_of(target)) == id then
    redis.call('DEL', first_of(target))
    frees = true
  end
  return frees
end

local function forget(one)
  for _, id in ipairs(redis.call('SMEMBERS', calls_of(one))) do leave(id) end
  redis.call('DEL', calls_of(one))
  redis.call('ZREM', alive, one)
end

local function let_rest(target, ms)
  local known = tonumber(redis.call('GET', rest_of(target)) or 0)
  if known <= now or known < now + ms then
    redis.call('SET', rest_of(target), now + ms, 'PX', ms + REMEMBERED)
    redis.call('DEL', first_of(target))
    redis.call('PUBLISH', name, 'rest ' .. target .. ' ' .. ms)
  end
end

local function end_rest(target)
  redis.call('DEL', first_of(target))
  if redis.call('DEL', rest_of(target)) == 1 then redis.call('PUBLISH', name, 'end ' .. target) end
end

local on, rests, all = {}, {}, nil

local function rest_now(target)
  if not rests[target] then
    local till = tonumber(redis.call('GET', rest_of(target)) or 0)
    local held = till > now or (till > 0 and redis.call('EXISTS', first_of(target)) == 1)
    rests[target] = {known = till > 0, held = held}
  end
  return rests[target]
end

local function admit(place, round)
  local _, of_process, id, owner, target = split(place)
  on[owner] = on[owner] or sum('on ' .. owner)
  if is_full(all, in_all) or is_full(on[owner], per_person) or rest_now(target).held then return false end
  redis.call('ZREM', waiting, place)
  redis.call('HINCRBY', sums, 'all', 1)
  redis.call('HINCRBY', sums, 'on ' .. owner, 1)
  all, on[owner] = all + 1, on[owner] + 1
  if round > sum('round') then redis.call('HSET', sums, 'round', round) end
  local said = id
  if rests[target].known then
    redis.call('SET', first_of(target), id, 'PX', REMEMBERED)
    rests[target].held = true
    said = id .. ' first'
  end
  if of_process == process then
    mine[#mine + 1] = said
  else
    redis.call('PUBLISH', name .. ':' .. of_process, said)
  end
  return true
end

local function advance()
  local skipped = 0
  all = sum('all')
  while true do
    local batch = redis.call('ZRANGE', waiting, skipped, skipped + 99, 'WITHSCORES')
    if #batch == 0 then return end
    for i = 1, #batch, 2 do
      if is_full(all, in_all) then return end
      if not admit(batch[i], tonumber(batch[i + 1])) then skipped = skipped + 1 end
    end
  end
end

local function look(id)
  local place = redis.call('HGET', places, id)
  if not place then return {-1, 0} end
  local _, _, _, _, target = split(place)
  local ahead = redis.call('ZRANK', waiting, place)
  if not ahead then return {-1, redis.call('GET', first_of(target)) == id and 1 or 0} end
  local till = tonumber(redis.call('GET', rest_of(target)) or 0)
  return {ahead, math.max(0, till - now)}
end

if op ~= 'join' and not redis.call('ZSCORE', alive, process) then return {0, mine, seen} end
local before = redis.call('ZCARD', waiting)
if op == 'join' then
  local told = cjson.decode(ARGV[6])
  forget(process)
  redis.call('ZADD', alive, now + lease, process)
  for _, rest in ipairs(told.rests) do let_rest(rest[1], rest[2]) end
  for _, call in ipairs(told.on) do
    enter(call[1], call[2], call[3])
    add('all', 1)
    add('on ' .. call[2], 1)
  end
  for _, call in ipairs(told.waiting) do wait(call[1], call[2], call[3]) end
  advance()
elseif op == 'want' then
  local place, round = wait(ARGV[6], ARGV[7], ARGV[8])
  all = sum('all')
  if rest_now(ARGV[8]).known then advance() else admit(place, round) end
elseif op == 'leave' then
  if leave(ARGV[6]) then advance() end
elseif op == 'answer' then
  if redis.call('GET', first_of(ARGV[7])) == ARGV[6] then
    end_rest(ARGV[7])
    advance()
  end
elseif op == 'refuse' then
  let_rest(ARGV[6], tonumber(ARGV[7]))
elseif op == 'end' then
  end_rest(ARGV[6])
  advance()
elseif op == 'beat' then
  redis.call('ZADD', alive, now + lease, process)
  for _, dead in ipairs(redis.call('ZRANGEBYSCORE', alive, '-inf', now)) do forget(dead) end
  advance()
  for i = 6, #ARGV do seen[#seen + 1] = look(ARGV[i]) end
elseif op == 'part' then
  forget(process)
  advance()
else
  return redis.error_reply('Turns know no ' .. op .. '.')
end
local left = redis.call('ZCARD', waiting)
if left > 0 and (left ~= before or op == 'join') then redis.call('PUBLISH', name, 'moved') end
return {1, mine, seen}
"""
