/** What the gate runs of a file of tests, and what only `check:full` runs. */
interface PartlyInGate {
  gate: string
  full: string
}

const draws = (gate: number, full: number): PartlyInGate => ({
  gate: `${gate} random cases`,
  full: `${full.toLocaleString('en')} random cases`,
})

/** Such files; each imports `tests/support/whole.ts`. */
export const PARTLY_IN_GATE: Readonly<Record<string, PartlyInGate>> = {
  'tests/black-box/drivers/calibration.test.ts': {
    gate: 'a run over a restart of the server, a killed tuner, its own check over both',
    full: 'progress after the restart, the check of a killed tuner, 4 s to restore hardware',
  },
  'tests/black-box/jobs/failures.test.ts': {
    gate: 'one failure, crash, timeout, wrong result and refusal of a device each',
    full: 'further ways to end, late results, a crash at every third job',
  },
  'tests/black-box/jobs/jobs.test.ts': { gate: '200,000 shots with memory', full: 'a program of 9 MB' },
  'tests/black-box/operation/backup.test.ts': { gate: '4 kills of a backup', full: '12 kills' },
  'tests/black-box/operation/restart.test.ts': {
    gate: 'SIGTERM to a server and to a driver whose job ends in time',
    full: 'SIGTERM to a driver whose job does not',
  },
  'tests/db/crash.test.ts': { gate: '6 and 3 kills', full: '20 and 8 kills' },
  'tests/db/filter/fuzz.test.ts': { gate: '15,000 filters', full: '100,000 filters' },
  'tests/db/records/properties.test.ts': draws(15, 60),
  'tests/db/sqlite/durability/checkpoints.test.ts': {
    gate: 'a kill at each step of the first checkpoint, 2 at any time',
    full: 'kills at later checkpoints, 12 at any time',
  },
  'tests/db/postgres/attempt.test.ts': draws(30, 1_000),
  'tests/db/postgres/lease.test.ts': {
    gate: 'leading, standing by, loss and takeover',
    full: 'a stranger who keeps the lock, named after 25 s',
  },
  'tests/db/postgres/same-answers.test.ts': draws(150, 3_000),
  'tests/db/postgres/with-commit.test.ts': draws(20, 1_000),
  'tests/db/query/own-jobs.test.ts': { gate: '10,000 jobs', full: '100,000 jobs' },
  'tests/db/store/jobs/queue/fair-queue.test.ts': draws(12, 100),
  'tests/db/store/jobs/queue/job-order.test.ts': draws(10, 100),
  'tests/db/store/jobs/transitions/time-cap.test.ts': draws(20_000, 1_000_000),
  'tests/db/store/qpus/known-qpus.test.ts': draws(5, 60),
  'tests/db/store/readings/readings.test.ts': draws(15, 40),
  'tests/db/store/recalls/recalls.test.ts': { gate: '3,000 jobs', full: '100,000 jobs' },
  'tests/db/store/sessions/machine.test.ts': draws(200, 1_000),
  'tests/devices/bench/cluster/sharing.test.ts': { gate: 'command set 1.1', full: '1.0 as well' },
  'tests/devices/bench/current/restore-left-over.test.ts': {
    gate: 'a kill at each third message to the rack',
    full: 'a kill at each message',
  },
  'tests/devices/compiler/decompose/relative-toffoli.test.ts': draws(100, 2_000),
  'tests/devices/compiler/levels.test.ts': draws(8, 400),
  'tests/devices/bench/simulated/trajectories/plan.test.ts': draws(3, 60),
  'tests/devices/compiler/to-openqasm.test.ts': draws(60, 2_000),
  'tests/devices/fitting/fit-curve.test.ts': { gate: '15 signals of a model', full: '30 of a model' },
  'tests/devices/noise/spellings.test.ts': draws(100, 3_000),
  'tests/devices/python/open-python.test.ts': {
    gate: 'a device refused for its name, module, type and operation; 2 rounds of random messages',
    full: 'the other spellings of these; 6 and 4 rounds',
  },
  'tests/devices/tuning/drift/drift-on-chip.test.ts': {
    gate: 'a readout that turned, 3 quiet checks, by the routines of the first two levels',
    full: 'T1, f01 and the drive, 200 quiet checks, by all routines',
  },
  'tests/devices/tuning/routines/benchmarks/beside-others.test.ts': { gate: '3 pairs', full: '44' },
  'tests/devices/tuning/routines/edge/edge-routines.test.ts': {
    gate: 'one chip for each routine',
    full: 'the other handedness and seeds',
  },
  'tests/devices/tuning/routines/edge/gate-routines.test.ts': { gate: '2 kinds of gate', full: 'all 3' },
  'tests/devices/tuning/routines/edge/gate-values.test.ts': {
    gate: 'one value that is off',
    full: 'each value, by several factors',
  },
  'tests/devices/tuning/routines/faults.test.ts': {
    gate: 'one fault for each routine',
    full: 'each fault for each routine',
  },
  'tests/devices/tuning/routines/qubit/qubit-routines.test.ts': {
    gate: 'one chip, one design that is off, one middle of two frequencies',
    full: 'four chips, three designs, two middles',
  },
  'tests/devices/tuning/routines/readout/line_readout.test.ts': {
    gate: 'crosstalk of 5 % on one chip',
    full: '2 % and 5 % on eight chips each',
  },
  'tests/devices/tuning/routines/second-excited/second-excited.test.ts': { gate: 'one hand', full: 'both' },
  'tests/devices/tuning/measure/heralded.test.ts': {
    gate: 'the twin of full waits, starts that are judged again, none kept, both ends of a gate, a cluster',
    full: 'more shots than a program has, the error of a gate',
  },
  'tests/devices/tuning/run/broken-gates.test.ts': {
    gate: 'one routine that fails, one value that is off, one faster gate',
    full: 'each routine in each way, each value, 7 rates of the exchange',
  },
  'tests/devices/tuning/run/broken-units.test.ts': {
    gate: 'the routines of the readout, each broken in one way; one value off, by hand and by drift',
    full: 'all routines in four ways, also of higher levels; all values by several factors',
  },
  'tests/devices/tuning/run/verify-run.test.ts': {
    gate: 'a readout that moved, a frequency that wanders or switches, a worse benchmark, a check that stays out',
    full: 'a frequency and T1 that moved, a T1 that wanders, one that leaves twice, a small loss, a quiet chip, higher levels',
  },
  'tests/driver/calibration-stops.test.ts': { gate: 'one stop', full: '34 stops' },
  'tests/driver/connection/outbox-model.test.ts': draws(25, 300),
  'tests/model/clocks.test.ts': draws(2, 60),
  'tests/model/group-acts.test.ts': draws(16, 500),
  'tests/model/late-results.test.ts': draws(12, 250),
  'tests/model/removals.test.ts': draws(8, 100),
  'tests/model/store.test.ts': draws(15, 100),
  'tests/qasm/execute/position.test.ts': draws(20, 1_000),
  'tests/scripts/endurance/simulated-week.test.ts': { gate: '150 jobs', full: '600 jobs' },
  'tests/server/drivers/lease.test.ts': draws(8, 100),
  'tests/server/drivers/session-writes.test.ts': {
    gate: 'one fault for each write of a session',
    full: 'each fault for each write',
  },
  'tests/server/jobs/dispatch/concerned-qpus.test.ts': draws(8, 60),
  'tests/server/jobs/dispatch/quality.test.ts': { gate: '100 claims', full: '100,000 claims' },
  'tests/server/jobs/judgement/judge.test.ts': draws(100, 600),
  'tests/server/jobs/quote.test.ts': { gate: 'one queue of 110 jobs', full: 'five of 1,500' },
  'tests/server/realtime/crowd.test.ts': { gate: '120 streams', full: '1,000 streams' },
  'tests/server/sessions/charges.test.ts': draws(25, 1_000),
  'tests/server/sessions/session-clock.test.ts': {
    gate: 'a loop of 50 steps in a session',
    full: 'of 1,000',
  },
  'tests/server/simulate/simulated-queue.test.ts': draws(12, 100),
  'tests/simulator/circuits/planned-programs.test.ts': draws(150, 3_000),
  'tests/simulator/methods/matrix_product_state/probe.test.ts': draws(8, 200),
  'tests/simulator/methods/trajectories/trajectories.test.ts': { gate: '2 rounds', full: '6 rounds' },
  'tests/simulator/random-programs/random-programs.test.ts': draws(60, 3_000),
  'tests/ui/pages/jobs/list/job-pages.test.ts': draws(200, 3_000),
}
