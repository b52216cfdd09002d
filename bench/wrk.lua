-- The requests of one wrk run; what to ask for comes in BENCH_* variables (load.py). Writes its measurements as JSON.
local key, out = os.getenv("BENCH_KEY"), os.getenv("BENCH_OUT")
local think_ms, count = tonumber(os.getenv("BENCH_THINK_MS")), tonumber(os.getenv("BENCH_COUNT"))
local body_file = os.getenv("BENCH_BODY")
local paths, at, issued, answered = {}, 0, 0, 0

for line in io.lines(os.getenv("BENCH_PATHS")) do paths[#paths + 1] = line end

wrk.headers["Authorization"] = "Bearer " .. key
if body_file ~= "" then
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = io.open(body_file):read("*a")
end

local recipients_file, head, tail, recipients, to = os.getenv("BENCH_RECIPIENTS"), nil, nil, {}, 0
if recipients_file ~= "" then
  local from, till = wrk.body:find("RECIPIENT", 1, true)
  head, tail = wrk.body:sub(1, from - 1), wrk.body:sub(till + 1)
  for line in io.lines(recipients_file) do recipients[#recipients + 1] = line end
end

local clients = os.getenv("BENCH_CLIENTS") ~= ""

function request()
  at = at % #paths + 1
  if clients then
    local client = string.format("10.%d.%d.%d", math.random(0, 255), math.random(0, 255), math.random(1, 254))
    wrk.headers["X-Forwarded-For"] = client
  end
  if head then
    to = to % #recipients + 1
    return wrk.format(nil, paths[at], nil, head .. recipients[to] .. tail)
  end
  return wrk.format(nil, paths[at])
end

if think_ms > 0 then
  function delay() return math.random(0, 2 * think_ms) end
elseif count > 0 then
  -- The delay of a request is asked for before it is made: after the last one the connections sleep.
  function delay()
    issued = issued + 1
    return issued > count and 3600000 or 0
  end
  function response()
    answered = answered + 1
    -- wrk itself sleeps for all of its time; who started it ends that when this file appears.
    if answered == count then io.open(out .. ".all", "w"):close() end
  end
end

function done(summary, latency)
  local file = io.open(out, "w")
  local errors = summary.errors
  file:write(string.format(
    '{"requests": %d, "seconds": %.4f, "rate": %.1f, "bytes": %d, "errors": %d, "status": %d, '
      .. '"p50_ms": %.3f, "p99_ms": %.3f, "max_ms": %.3f}\n',
    summary.requests, summary.duration / 1e6, summary.requests / (summary.duration / 1e6), summary.bytes,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
  file:close()
end
