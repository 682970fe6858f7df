import { PARTLY_IN_GATE } from './gate-cases.ts'

/** One part of `npm run check:full`: tests or a program that `npm test` leaves out. */
export interface Part {
  name: string
  /** Why the gate does not contain it. */
  reason: string
  /** Files and folders of tests. */
  tests?: readonly string[]
  /** A script with its arguments, instead of tests. */
  script?: readonly string[]
  /** Variables of its environment. */
  env?: Readonly<Record<string, string>>
  /** The gate has these tests too, with some cases of each kind: see `tests/support/whole.ts`. */
  isInGate?: boolean
}

/** All parts in the order in which they run: those that need an installation of gigabytes are the last. */
export const PARTS: readonly Part[] = [
  {
    name: 'attacks',
    reason: 'bounds on the latency and processor time of other users measure the machine',
    // A tenth of the database; other work on the machine delays everything, hence the margin.
    script: ['tests/attack/main.ts', '--jobs', '100000', '--runs', '1', '--check', '4'],
  },
  {
    name: 'browser',
    reason: 'a browser that shows hundreds of pages takes most of the machine, and minutes',
    tests: ['tests/e2e', 'tests/clients/javascript/browser.test.ts'],
  },
  {
    name: 'faults',
    reason: 'kills, full disks, broken networks and jumping clocks take minutes and change the machine',
    tests: [
      'tests/faults',
      'tests/black-box/network/network.test.ts',
      'tests/black-box/operation/kill.test.ts',
    ],
  },
  {
    name: 'matrices',
    reason: 'all combinations, rounds and chips take minutes, some of each kind in the gate seconds',
    tests: Object.keys(PARTLY_IN_GATE),
    isInGate: true,
  },
  {
    name: 'models',
    reason: 'random histories and programs, others at each run: a failure prints its seed',
    tests: [
      'tests/db/postgres/same-answers.test.ts',
      'tests/db/postgres/with-commit.test.ts',
      'tests/db/query/own-jobs.test.ts',
      'tests/db/store/jobs/queue/job-order.test.ts',
      'tests/db/store/qpus/known-qpus.test.ts',
      'tests/db/sums/sums.test.ts',
      'tests/devices/bench/simulated/trajectories/pending.test.ts',
      'tests/devices/bench/simulated/trajectories/plan.test.ts',
      'tests/devices/compiler/decompose/relative-toffoli.test.ts',
      'tests/devices/compiler/levels.test.ts',
      'tests/model/clocks.test.ts',
      'tests/model/group-acts.test.ts',
      'tests/model/removals.test.ts',
      'tests/server/auth/jwt.test.ts',
      'tests/server/jobs/chip/job-extents.test.ts',
      'tests/server/jobs/dispatch/concerned-qpus.test.ts',
      'tests/simulator/circuits/planned-programs.test.ts',
      'tests/simulator/feedback/run-groups.test.ts',
      'tests/simulator/methods/statevector/gates/fuse-pairs.test.ts',
      'tests/simulator/tally/packed-bits.test.ts',
    ],
    env: { SVC_TEST_SEED: 'random' },
    isInGate: true,
  },
  {
    name: 'postgres',
    reason: 'the tests of the database and of the server run on PostgreSQL too, where each makes a database',
    tests: [
      'tests/db/collections',
      'tests/db/engine',
      'tests/db/filter',
      'tests/db/hooks',
      'tests/db/integrity',
      'tests/db/journal',
      'tests/db/open-database.test.ts',
      'tests/db/postgres',
      'tests/db/query',
      'tests/db/records',
      'tests/db/schema',
      'tests/db/store',
      'tests/db/sums',
      'tests/db/transfer',
      'tests/model',
      'tests/server',
    ],
    env: { SVC_TEST_STORE: 'postgres', SVC_TESTS: '', SVC_TEST_SEED: 'random' },
    isInGate: true,
  },
  {
    name: 'stores',
    reason: 'ten thousand random requests to two servers, one on a file and one on PostgreSQL, take minutes',
    tests: ['tests/stores'],
    env: { SVC_TEST_STORE: 'postgres' },
  },
  {
    name: 'limits',
    reason: 'the largest results and the time limits of jobs take minutes and measure the machine',
    tests: ['tests/black-box/limits', 'tests/black-box/jobs/large-programs.test.ts'],
  },
  {
    name: 'chips',
    reason: 'chips are calibrated before their jobs run, also through a fake cluster: minutes of computing',
    tests: [
      'tests/devices/scheduler/calibrated-jobs.test.ts',
      'tests/devices/tuning/routines/benchmarks/pair-benchmarks.test.ts',
      'tests/devices/tuning/routines/cold-chip.test.ts',
      'tests/devices/tuning/whole-calibration.test.ts',
    ],
  },
  {
    name: 'continued',
    reason: 'full calibrations of a chip are killed sixty times and continued: an hour of computing',
    script: ['bench/tuning/continued.ts', '--kills', '60'],
  },
  {
    name: 'mutants',
    reason:
      'each limit is taken away, and a hundred places of the core are changed: tests run hundreds of times',
    script: ['scripts/testing/mutants/check-mutants.ts'],
  },
  {
    name: 'recipes',
    reason: 'the recipes of CONTRIBUTING.md are carried out in copies of the repository, each with its tests',
    script: ['scripts/testing/recipes/check-recipes.ts'],
  },
  {
    name: 'guides',
    reason: 'the commands that the guides print run as printed: backups, exports, replays and jobs',
    tests: ['tests/how-to/guides.test.ts', 'tests/black-box/drivers/calibrate-page.test.ts'],
  },
  {
    name: 'clients',
    reason: 'the clients in Go and Python and the public ones need toolchains and packages of their own',
    tests: [
      'tests/clients/go',
      'tests/clients/python',
      'tests/clients/python.test.ts',
      'tests/clients/schemathesis.test.ts',
      'tests/clients/batch-jobs.test.ts',
      'tests/clients/first-programs.test.ts',
      'tests/clients/javascript/package.test.ts',
      'tests/clients/javascript/runtimes.test.ts',
      'tests/clients/lost-connections.test.ts',
      'tests/clients/recalls.test.ts',
      'tests/clients/two-servers.test.ts',
    ],
  },
  {
    name: 'interoperation',
    reason:
      'other programs run with the executable: libzmq, an old release, PostgreSQL, proxies, systemd, Litestream, Prometheus',
    tests: [
      'tests/interop',
      'tests/black-box/network/reverse-proxy.test.ts',
      'tests/black-box/operation/restore-elsewhere.test.ts',
      'tests/cli/data/postgres.test.ts',
      'tests/db/postgres/moving.test.ts',
      'tests/db/postgres/replica-lag.test.ts',
      'tests/examples/monitoring.test.ts',
    ],
  },
  {
    name: 'release',
    reason:
      'a release is made and installed in clean systems: minutes, root and programs that pack and unpack',
    tests: ['tests/release'],
  },
  {
    name: 'oracles',
    reason: 'other implementations of the same physics and protocols take gigabytes to install',
    tests: ['tests/oracle'],
  },
]

/** The browser test that the gate keeps. */
export const GATE_BROWSER_TEST = 'tests/e2e/first-job.test.ts'

const isBelow = (file: string, path: string) => file === path || file.startsWith(`${path}/`)

/** The part that has `file` instead of the gate; undefined for a test of the gate. */
export function partOf(file: string): Part | undefined {
  if (file === GATE_BROWSER_TEST) return undefined
  return PARTS.find(({ tests = [], isInGate }) => !isInGate && tests.some((path) => isBelow(file, path)))
}

/** Files of `all` at or below `paths`; the tests of the gate if there are none. */
export function selectTests(all: readonly string[], paths: readonly string[]): string[] {
  if (paths.length === 0) return all.filter((file) => partOf(file) === undefined)
  return all.filter((file) => paths.some((path) => isBelow(file, path)))
}
