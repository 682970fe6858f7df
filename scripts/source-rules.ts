/** One folder that only certain other folders may be seen from. The first fitting entry counts. */
export interface Layer {
  /** Path prefix of its files. */
  path: string
  /** Layers of `src` whose face it may import; `any` lifts every rule. */
  imports: readonly string[] | 'any'
  /** Further files that it may import, past the face of their layer, as prefixes. */
  files?: readonly string[]
  /** What it contains, for the table of CONTRIBUTING.md. */
  content?: string
}

/** What each layer may import, types included. */
export const LAYERS: readonly Layer[] = [
  {
    path: 'src/base/',
    imports: [],
    content:
      'clock, ids, errors, log, loop, back-off, folder lock, admission (budget, fair queue, time slice, token bucket), concurrency (time-outs, threads), settings',
  },
  {
    path: 'src/protocol/',
    imports: ['base'],
    content: 'what crosses a wire: jobs, events, commands, handshake, message sockets',
  },
  {
    path: 'src/qasm/',
    imports: [],
    files: ['src/base/settings/nearest.ts'],
    content: 'OpenQASM 2 and 3: parser, checks, lowering to a flat circuit; also runs in browsers',
  },
  {
    path: 'src/db/',
    imports: ['base'],
    content: 'all SQL: collections, transactions, change feed, store intents',
  },
  {
    path: 'src/simulator/',
    imports: ['base', 'qasm'],
    content:
      'simulation methods, noise model, kernel; `assembly` folders are AssemblyScript, compiled by `npm ci` and `npm run build`',
  },
  {
    path: 'src/devices/',
    imports: ['base', 'protocol', 'qasm', 'simulator'],
    content: 'what a driver can run',
  },
  {
    path: 'src/driver/',
    imports: ['base', 'protocol', 'devices'],
    content: 'the daemon beside the equipment',
  },
  {
    path: 'src/server/',
    imports: ['base', 'protocol', 'qasm', 'db'],
    content: 'queue, dispatch, accounts, HTTP, certificates',
  },
  {
    path: 'src/cli/',
    content: 'the commands; the only layer that reads flags, environment variables and config files',
    imports: ['base', 'protocol', 'qasm', 'db', 'devices', 'driver', 'server'],
    // The commands for users are a program that uses the public client.
    files: ['web/', 'package.json', 'examples/', 'clients/js/src/'],
  },
  // The faces of base and devices need bun; these files run in browsers too.
  {
    path: 'ui/',
    imports: ['protocol', 'qasm'],
    files: ['src/base/portable/', 'src/devices/fitting/'],
    content: 'the web pages',
  },
  // Published on its own, without any other package.
  { path: 'clients/js/', imports: [] },
  { path: 'scripts/', imports: 'any' },
  { path: 'bench/', imports: 'any' },
  { path: 'tests/', imports: 'any' },
  { path: 'docs/', imports: 'any' },
]

/** Two parts of the tree that do not import each other, in either direction. */
export interface Separation {
  /** Path prefixes of the files of each part. */
  between: readonly string[]
  and: readonly string[]
  reason: string
}

export const SEPARATIONS: readonly Separation[] = [
  {
    between: ['src/devices/bench/simulated/'],
    and: ['src/devices/fitting/', 'src/devices/tuning/'],
    reason: 'the simulated chip and the routines that measure it share no formula and no truth',
  },
]

/** A module that some files must not import. */
export interface BannedModule {
  pattern: RegExp
  where: RegExp
  reason: string
}

export const BANNED_MODULES: readonly BannedModule[] = [
  {
    pattern: /^(node:|bun(:|$))/,
    where: /^(src\/(qasm|base\/portable|devices\/fitting)|ui)\//,
    reason: 'the browser runs this code too',
  },
  {
    pattern: /^(node:)?timers(\/promises)?$/,
    where: /^src\/(?!base\/)/,
    reason: 'time comes from the injected Clock, so that tests can move it',
  },
]

/** A call that some files must not contain; comments and strings do not count. */
export interface BannedCall {
  pattern: RegExp
  where: RegExp
  reason: string
}

/** Tests and benchmarks except the shared support, in which each of these is implemented once. */
const TESTS = /^(bench|tests\/(?!support\/))/
const OUTSIDE_BASE = /^src\/(?!base\/)/

export const BANNED_CALLS: readonly BannedCall[] = [
  {
    pattern: /\b(private|protected)\s+(?!constructor\b)/g,
    where: /^(src|ui|scripts|bench|tests)\//,
    reason: 'write #name: one way to keep a member to its class, checked also at run time',
  },
  {
    pattern: /\.\.\.\s*\{/g,
    where: /^(src|ui|scripts|bench|clients\/js)\//,
    reason: 'write the members in the literal: a spread of a literal only shortens lines',
  },
  {
    pattern: /\bDate\s*\.\s*now\b/g,
    where: OUTSIDE_BASE,
    reason: 'use clock.now() of the injected Clock, so that tests can move time',
  },
  {
    pattern: /\bnew\s+Date\s*(\(\s*\)|(?![\s(\w$]))/g,
    where: OUTSIDE_BASE,
    reason: 'use clock.now() of the injected Clock, so that tests can move time',
  },
  {
    pattern: /(?<![\w$.]|\bfunction\s)(globalThis\s*\.\s*)?set(Timeout|Interval)\s*\(/g,
    where: OUTSIDE_BASE,
    reason: 'use clock.sleep(ms, signal) or a Loop, so that tests can move time',
  },
  {
    pattern: /\bBun\s*\.\s*sleep(Sync)?\b/g,
    where: OUTSIDE_BASE,
    reason: 'use clock.sleep(ms, signal), so that tests can move time',
  },
  {
    pattern: /\bnew\s+(Budget|FairQueue|TokenBucket)\b/g,
    where: /^src\/server\/(?!admission\/)/,
    reason: 'declare the limit in src/server/admission/limits.ts and enforce it by Places or RateLimiter',
  },
  {
    pattern: /\bMath\s*\.\s*random\b/g,
    where: OUTSIDE_BASE,
    reason: 'use randomBytes() for secrets, randomFraction() for jitter and the seeded generator for devices',
  },
  {
    pattern: /\b(process|Bun|import\s*\.\s*meta)\s*\.\s*env\b/g,
    where: /^src\/(?!cli\/)/,
    reason: 'only src/cli reads the environment; others take a setting',
  },
  {
    pattern: /\bcrypto\s*\.\s*randomUUID\b/g,
    where: /^(ui|clients\/js\/src)\//,
    reason: 'use randomKey(): pages that are loaded without TLS have no randomUUID',
  },
  {
    pattern: /(?<![\w$.])console\s*\.\s*\w+/g,
    where: /^(src\/(?!cli\/)|ui\/)/,
    reason: 'use the injected Log; only src/cli and scripts print',
  },
  {
    pattern:
      /\bswitch\s*\(\s*field\s*\??\.\s*kind\b|\bfield\s*\??\.\s*kind\s*[!=]==|\bkind\s*\.\s*publicType\s*[!=]==/g,
    where: /^src\/(?!db\/schema\/fields\/)/,
    reason: 'what differs between kinds of fields is a member of FieldKind (src/db/schema/field.ts)',
  },
  {
    pattern: /\bmkdtemp(Sync)?\b/g,
    where: TESTS,
    reason: 'use temporaryFolder() of tests/support/temporary-folder.ts',
  },
  {
    pattern: /\bwhile\s*\(.*\)\s*await\s+(Bun|\w*[cC]lock)\s*\.\s*sleep\b/g,
    where: TESTS,
    reason: 'use until() of tests/support/until.ts, which has a time limit',
  },
  {
    pattern:
      /\bBun\s*\.\s*sleep(Sync)?\s*\(\s*(1_?00[1-9]|1_?0[1-9]\d|1_?[1-9]\d\d|[2-9]_?\d{3}|\d+_?\d_?\d{3})\b/g,
    where: TESTS,
    reason: 'wait with until() for what happens, or shorten the interval: no blind sleeps over 1 s',
  },
]

/** A registry: a file that imports every member of a folder. */
export interface List {
  list: string
  /**
   * Its files and subfolders are the members, the latter by their `index.ts`. A subfolder without one is a
   * kind, which holds members in the same way.
   */
  folder: string
}

export const LISTS: readonly List[] = [
  { list: 'src/db/collections.ts', folder: 'src/db/collections/' },
  { list: 'src/db/schema/fields/index.ts', folder: 'src/db/schema/fields/' },
  { list: 'src/protocol/events/index.ts', folder: 'src/protocol/events/' },
  { list: 'src/devices/built-in.ts', folder: 'src/devices/process/' },
  { list: 'src/devices/built-in.ts', folder: 'src/devices/monitor/' },
  { list: 'src/devices/built-in.ts', folder: 'src/devices/calibrate/' },
  { list: 'src/simulator/methods/index.ts', folder: 'src/simulator/methods/' },
]

/** Text that no tracked file may hold. The patterns are written so that they do not find themselves. */
export interface BannedText {
  pattern: RegExp
  where: RegExp
  reason: string
}

const SQL_OUTSIDE_DIALECT = /^src\/(?!db\/(sqlite\/|postgres\/|engine\/dialect\.ts|schema\/migrations\/))/

export const BANNED_TEXTS: readonly BannedText[] = [
  {
    pattern:
      /(behavio[u]r|neighbo[u]r|colo[u]r|catalog[u]e|licen[c]e|\bcentr[e]|[il]isatio[n]|normalis[e]|recognis[e])/gi,
    where: /^(src|ui|tests|scripts|bench|docs|examples)\/.*\.(ts|tsx|md|css|sh)$|^[A-Z]+\.md$/,
    reason:
      'American spelling throughout: behavior, neighbor, color, catalog, license, center, -ization, -ize',
  },
  {
    pattern: /-port(-range-(start|end))?(['",=\s])+[1-9]\d*\b/g,
    where: /^(bench|tests\/(?!server\/config\/|cli\/)).*\.(ts|mjs|py)$/,
    reason: 'use freePort() or freePortRange() of tests/support/free-port.ts: no fixed ports',
  },
  {
    pattern: /"resolved"\s*:/g,
    where: /(^|\/)package-lock\.json$/,
    reason: 'it ties the lock to one registry; install with omit-lockfile-registry-resolved=true',
  },
  {
    pattern: /\b(registry\.(npmjs|yarnpkg|npmmirror)\.|pypi\.org|files\.pythonhosted\.|proxy\.golang\.)/g,
    where: /./,
    reason: 'each machine has its own registry; leave the choice to its configuration',
  },
  {
    pattern: /^\s*(@[\w-]+:)?registry\s*=|\bindex-url\s*=|\bGOPROXY\s*=\s*\w+:/gm,
    where: /./,
    reason: 'each machine has its own registry; leave the choice to its configuration',
  },
  {
    pattern: /(?<![\w.~-])\/work\//g,
    where: /./,
    reason: 'a path of one machine; write it relative to the repository',
  },
  // Portable SQL: ADR 0002. Migrations are exempt because a change of their text would be refused at the
  // start.
  {
    pattern: /\bjson_\w+\s*\(|[\w)}"]\s*->>?\s*'/g,
    where: SQL_OUTSIDE_DIALECT,
    reason: 'JSON in SQL only by the functions of src/db/engine/dialect.ts',
  },
  {
    pattern: /(?<!@)\b_?rowid_?\b/g,
    where: SQL_OUTSIDE_DIALECT,
    reason: 'order by a column such as seq; an internal table without one by INSERTION_ORDER of dialect.ts',
  },
  {
    pattern: /\b(NOT\s+INDEXED|INDEXED\s+BY)\b/g,
    where: SQL_OUTSIDE_DIALECT,
    reason: 'a hint for one query planner: use byIndex() or unindexed() of src/db/engine/dialect.ts',
  },
]
