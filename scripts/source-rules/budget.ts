/** Lines that something may add to an area, or has to take away from it. */
interface Grant {
  lines: number
  /** What the lines are for; whoever raises a budget says it here. */
  reason: string
}

/** A part of the tree with a limit on its lines. */
export interface Area {
  name: string
  /** Path prefixes of its files. */
  paths: readonly string[]
  /** Lines at the commit 82c7c85a. */
  lines: number
  grants: readonly Grant[]
}

/** Files that count: those that people read and change. */
export const COUNTED = /\.(ts|tsx|css|py)$/

/** Width of a line, in characters: a wider one would make the same code shorter. */
export const LINE_WIDTH = 110

/** What each area may hold: its lines at 82c7c85a and the sum of its grants. */
export const AREAS: readonly Area[] = [
  {
    name: 'src and ui',
    paths: ['src/', 'ui/'],
    lines: 184_824,
    grants: [
      { lines: 900, reason: 'AA: late results, limits of devices, level 0, values kept with their age' },
      { lines: 250, reason: 'AA: programs run at submission, for what they take of a device' },
      { lines: 1_000, reason: 'AH: references, clocks and groups of stored state, late scheduling' },
      { lines: 40, reason: 'AA: exact values of loops, which are pruned by weight' },
      {
        lines: 700,
        reason: 'AC: superusers at the command line, ends of credentials, texts, standby drivers',
      },
      { lines: 250, reason: 'AA: recalled calibrations before a run, submission budgets, random programs' },
      { lines: 450, reason: 'AH: edits during a breach, deleted reports, dt of devices, exports, clocks' },
      { lines: 500, reason: 'AC: alert windows, names of wrong inputs, turns of reads, PostgreSQL roles' },
      { lines: 900, reason: 'AF: values that belong together, drift of what users feel, verified runs' },
      {
        lines: 500,
        reason: 'AA, AH, AC: recalls seen before a run, PostgreSQL texts and numbers, drivers that wait',
      },
      {
        lines: 400,
        reason: 'AF, AG: verification at the end of a run, one stream per browser, availability',
      },
      { lines: 2_500, reason: 'AE: sessions of a QPU, their charges, commands and pages' },
      { lines: 170, reason: 'AG: a setting changed in its page, the config file keeps its comments' },
      { lines: 900, reason: 'AF: readout of a line, collisions, verification of a run' },
      { lines: 300, reason: 'AA, AC, AH: exports, attach reasons, words of failures in pages' },
      { lines: 1_800, reason: 'AE: scope and accounts of a cluster, commands, pages of sessions' },
      { lines: 700, reason: 'AF: benchmarks at the end of a run, crosstalk of drives, parallel plans' },
      { lines: 200, reason: 'AF: shots that follow the wanted error, waits by what is measured' },
      { lines: 300, reason: 'AE: sessions that jobs name, their secrets as issued access, retention, ends' },
      { lines: 130, reason: 'AE: programs that wait for a session or leave it, root CAs of batch jobs' },
      { lines: 560, reason: 'AF: pairs of ccx, commuting gates and joined exchanges in the compiler' },
      { lines: 710, reason: 'AF: simulated shots with few amplitudes, shots that begin with a reading' },
    ],
  },
  {
    name: 'tests',
    paths: ['tests/'],
    lines: 137_087,
    grants: [
      { lines: 2_500, reason: 'AA: exact reference of random programs, late deliveries, forked clients' },
      { lines: 2_000, reason: 'AH: model tests of clocks, references, groups, outbox and live lists' },
      { lines: 1_500, reason: 'AC: wrong inputs, printed commands, ends of credentials, races of drivers' },
      { lines: 700, reason: 'AA: Aer and Qiskit Experiments as references, inputs of users, slow twins' },
      { lines: 700, reason: 'AH: random acts on groups and clocks, exports against the API' },
      { lines: 900, reason: 'AC: 80 wrong inputs, roles of PostgreSQL, reads in turns' },
      { lines: 900, reason: 'AF: values that break in mid-run, twins of shots that begin with a reading' },
      { lines: 500, reason: 'AB: data folders of older commits, sums against full counts' },
      { lines: 900, reason: 'AA, AH, AC: recalls before a run, random acts on groups, races of drivers' },
      { lines: 880, reason: 'AB, AF, AG: judgements against each other, broken chips, pages in a browser' },
      { lines: 2_400, reason: 'AE: random schedules of sessions, jobs of a real Slurm, identities, kills' },
      { lines: 1_200, reason: 'AA, AC, AF, AG, AH: exports, races, lines of readout, pages in a browser' },
      { lines: 2_200, reason: 'AE, AF: clusters, sessions under faults, broken chips of a verification' },
      { lines: 450, reason: 'AE: charges over random histories, attacks, access of session secrets' },
      { lines: 270, reason: 'AB: a random twin of the statements that leave with the COMMIT' },
      { lines: 230, reason: 'AB: mutants of the core, large values in a spread, all files of the walk' },
      { lines: 500, reason: 'AE: kills during sessions, each route on PostgreSQL, loops, exports' },
      { lines: 230, reason: 'AF: compiled circuits with measurements inside against all their outcomes' },
      { lines: 130, reason: 'AF: twins of shared readings, Rabi amplitudes of random lines that compress' },
      { lines: 150, reason: 'AF: ends of runs that bear drift, decay, groups, distances of fringes' },
    ],
  },
  {
    name: 'clients and drivers',
    paths: ['clients/', 'drivers/'],
    lines: 24_606,
    grants: [
      { lines: 400, reason: 'AA: copies, forks and threads of clients, fields that a server adds' },
      { lines: 500, reason: 'AA, AH: their tests, which are part of the Python package' },
      { lines: -7_100, reason: 'AD: types and the synchronous client, which the installation makes' },
      { lines: 240, reason: 'AH, AF: warnings of recalled calibrations, mitigation of counts, of lines too' },
      { lines: 900, reason: 'AE: sessions in three clients, with their tests' },
      { lines: 300, reason: 'AE: variables of a batch job, their tests' },
      { lines: 100, reason: 'AE: one job of an array, root CAs in a batch job, programs that wait' },
    ],
  },
  {
    name: 'scripts',
    paths: ['scripts/'],
    lines: 10_282,
    grants: [
      { lines: 400, reason: 'AD: this budget, the tests of a change' },
      { lines: 250, reason: 'AD, AC: generated files at installation, tools of a release' },
      { lines: 150, reason: 'AB: round trips of each intent as written costs, a rule on thunks of reads' },
      { lines: 100, reason: 'AC, AE: errors of a release, usage of commands, parts of Slurm tests' },
      { lines: 30, reason: 'AE, AF: grants and parts of the tests of sessions and the compiler' },
      { lines: 120, reason: 'AD: the table of tests of which the gate runs a part, mutants of drivers' },
      { lines: 80, reason: 'AD: rows of further tests that left the gate, mutants of routines and clients' },
    ],
  },
  {
    name: 'bench',
    paths: ['bench/'],
    lines: 8_728,
    grants: [
      { lines: 100, reason: 'AD: what AB measures' },
      { lines: 120, reason: 'AF: false alarms and found steps of 200 verifications' },
      { lines: 130, reason: 'AE: loops in a session and without one' },
      { lines: 200, reason: 'AF: the compiler beside Qiskit on four chips, adders and searches' },
      { lines: 110, reason: 'AF: hours of a calibration as they are played' },
    ],
  },
  {
    name: 'packaging and examples',
    paths: ['packaging/', 'examples/'],
    lines: 208,
    grants: [{ lines: 400, reason: 'AE: Slurm, its examples' }],
  },
]

/** Tracked files that a program writes, locks included, without recorded contract cases and license texts. */
export const GENERATED: readonly RegExp[] = [
  /^clients\/contract\/contract\.txt$/,
  /^clients\/go\/internal\/wire\//,
  /^docs\/reference\/(commands|events|go-client|javascript-client|python-client|python-devices|routes|settings)\.md$/,
  /^package-lock\.json$/,
  /^packaging\/wheel\/requirements\.txt$/,
  /^tests\/golden\/schema(-before)?\.sql$/,
  /^tests\/support\/python\/requirements.*\.txt$/,
]

/** Lines that these files may have together: 63,301 at 82c7c85a. */
export const MAX_GENERATED_LINES = 18_200
