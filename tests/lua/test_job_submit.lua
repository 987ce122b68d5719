-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- etc/job_submit.lua.example, as slurmctld would call it, with tables in place of Slurm's.
-- Usage: lua5.1 test_job_submit.lua FILE

local BRIDGED = '{"k8s":{"cluster":"prod","kind":"Job","namespace":"team-a","name":"train","uid":"6b","pods":4}}'
local USER = 1001

-- Fields that Slurm has; to ask for another one logs an error there, and fails here.
local JOB_FIELDS = {}
for name in string.gmatch("account admin_comment default_account features partition prefer requeue script time_limit", "%S+") do
	JOB_FIELDS[name] = true
end

local function strict(what, fields, values)
	return setmetatable({}, {
		__index = function(_, name)
			assert(fields[name], "Slurm has no " .. what .. "." .. tostring(name))
			return values[name]
		end,
		__newindex = function(_, name, value)
			assert(fields[name], "Slurm has no " .. what .. "." .. tostring(name))
			values[name] = value
		end,
	})
end

local told -- what the user is told
local constants = {SUCCESS = 0, ERROR = -1, ESLURM_ACCESS_DENIED = 2002, NO_VAL = 4294967294}
constants.log_user = function(...) told = string.format(...) end
constants.log_info = function(...) string.format(...) end
local names = {}
for name in pairs(constants) do names[name] = true end

-- It may use no more than this: nothing that opens a file or runs a command.
local room = {slurm = strict("slurm", names, constants), string = string, pairs = pairs, ipairs = ipairs}

local function read(path)
	local chunk
	if setfenv then
		chunk = setfenv(assert(loadfile(path)), room)
	else
		chunk = assert(loadfile(path, "t", room))
	end
	assert(chunk() == constants.SUCCESS, "it does not return slurm.SUCCESS")
end

local function part(name, default) return strict("part", {name = true, flag_default = true}, {name = name, flag_default = default}) end
local parts = {batch = part("batch", 1), big = part("big", 0), metal = part("metal", 0)}

-- A batch job, as sbatch sends it, but for what `with` says.
local function job(with)
	local values = {script = "#!/bin/sh\n", requeue = 65534, time_limit = constants.NO_VAL, default_account = "chem"}
	for name, value in pairs(with) do values[name] = value end
	if values.script == "" then values.script = nil end
	return strict("job", JOB_FIELDS, values), values
end

local failed, passed = 0, 0
local function check(good, ...)
	if good then
		passed = passed + 1
	else
		failed = failed + 1
		print("FAILED: " .. string.format(...))
	end
end

local DENIED, SUCCESS = constants.ESLURM_ACCESS_DENIED, constants.SUCCESS
local submissions = {
	{"an ordinary job has an hour", {}, SUCCESS, 60},
	{"what it asks for stays", {time_limit = 5}, SUCCESS, 5},
	{"elsewhere it has what Slurm gives it", {partition = "metal"}, SUCCESS, constants.NO_VAL},
	{"one of several partitions has pods", {partition = "metal,big"}, SUCCESS, 60},
	{"another partition of a like name has none", {partition = "bigger"}, SUCCESS, constants.NO_VAL},
	{"a batch job must be one that goes back", {requeue = 0}, constants.ERROR, nil, "--no-requeue"},
	{"not elsewhere", {requeue = 0, partition = "metal"}, SUCCESS},
	{"srun and salloc never do", {requeue = 0, script = ""}, SUCCESS, 60},
	{"a feature of another account", {features = "pytorch"}, DENIED, nil, "pytorch is not for account chem"},
	{"one that it only prefers", {prefer = "pytorch"}, DENIED, nil, "pytorch is not for account chem"},
	{"one of several", {features = "cpu&(pytorch|jax)", account = "bio"}, DENIED, nil, "for account bio"},
	{"a feature of the account", {features = "pytorch", account = "ml"}, SUCCESS, 60},
	{"of the default account", {features = "pytorch", default_account = "ml"}, SUCCESS, 60},
	{"no account at all", {features = "pytorch", default_account = false}, DENIED, nil, "for account "},
	{"a feature of everybody", {features = "pytorch2&cpu"}, SUCCESS, 60},
	{"a job of the bridge is not judged", {features = "pytorch", requeue = 0, admin_comment = BRIDGED}, SUCCESS, constants.NO_VAL},
	{"what asks something of its pods is a job like others",
		{features = "pytorch", admin_comment = 'k8s-pod: {"labels":{}}'}, DENIED, nil, "pytorch"},
}
local changes = {
	{"another time limit", {time_limit = 5}, {}, USER, SUCCESS},
	{"a feature of another account", {features = "pytorch"}, {account = "chem"}, USER, DENIED, "for account chem"},
	{"of the job's account", {features = "pytorch"}, {account = "ml"}, USER, SUCCESS},
	{"of the account that it gets", {features = "pytorch", account = "ml"}, {account = "chem"}, USER, SUCCESS},
	{"one that it only prefers", {prefer = "pytorch"}, {account = "chem"}, USER, DENIED, "for account chem"},
	{"another account for the feature that it has", {account = "chem"}, {account = "ml", features = "pytorch"}, USER, DENIED, "for account chem"},
	{"another account that may have it", {account = "physics"}, {account = "ml", features = "pytorch"}, USER, SUCCESS},
	{"root may", {features = "pytorch"}, {account = "chem"}, 0, SUCCESS},
	{"a job of the bridge is not judged", {features = "pytorch"}, {account = "chem", admin_comment = BRIDGED}, USER, SUCCESS},
}

read(arg[1])
check(room.slurm_job_submit and room.slurm_job_modify, "it lacks a function")
for _, row in ipairs(submissions) do
	local what, with, result, minutes, words = row[1], row[2], row[3], row[4], row[5]
	local desc, values = job(with)
	told = nil
	local rc = room.slurm_job_submit(desc, parts, USER)
	check(rc == result, "%s: result %s", what, tostring(rc))
	check(not minutes or values.time_limit == minutes, "%s: time limit %s", what, tostring(values.time_limit))
	check((told ~= nil) == (words ~= nil) and (not words or string.find(told, words, 1, true)), "%s: told '%s'", what, tostring(told))
end
for _, row in ipairs(changes) do
	local what, with, has, uid, result, words = row[1], row[2], row[3], row[4], row[5], row[6]
	local record = strict("job_rec", {account = true, admin_comment = true, features = true}, has)
	local desc = strict("job", JOB_FIELDS, with)
	told = nil
	local rc = room.slurm_job_modify(desc, record, parts, uid)
	check(rc == result, "change: %s: result %s", what, tostring(rc))
	check((told ~= nil) == (words ~= nil) and (not words or string.find(told, words, 1, true)), "change: %s: told '%s'", what, tostring(told))
end
print(string.format("%d passed, %d failed", passed, failed))
os.exit(failed == 0 and 0 or 1)
