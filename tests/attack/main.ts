/**
 * Measures what each attack of the corpus does to other users of the built executable: `npm run attack --
 * [--jobs N] [--runs N] [--only NAME,…]`. See docs/benchmarks/attacks.md.
 */
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fail, readArguments } from '../../scripts/testing/read-arguments.ts'
import { SVC } from '../support/executable/service.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './corpus/index.ts'
import { Arena } from './harness/measure.ts'
import { breaches, type Results, readResults, type Side, summarize, writeResults } from './harness/results.ts'
import { lineOf, markdownTable } from './harness/table.ts'

const HELP = `Usage: npm run attack -- [options] [BEFORE AFTER]

Attacks the built executable on a large database and measures its other users.

  --jobs N        jobs in the database (1000000); seeded once, kept in the temporary folder
  --runs N        runs of each attack, of which the median counts (3)
  --minutes N     starts no further attack after this time; the medians are those of the runs so far
  --only NAMES    attacks whose names begin with one of these, separated by commas
  --server PATH   executable to attack (./svc)
  --compare       attacks two executables: BEFORE and AFTER
  --check MARGIN  exit status 1 if an attack breaks the promise three times, with bounds MARGIN times as high
                  (latencies three times that), and the stall counted in processor time
  --out PATH      file of the results, written after each attack
  --resume        continues the results in that file
  --markdown      prints the table of the documentation
  --json          prints the results
  --list          lists the attacks
  --help
`
/** A stall of this length is not measured again. */
const CLEAR_STALL_MS = 500
/** Runs of an attack that breaks the promise in a check. */
const CHECK_RUNS = 3

const { values: flags, positionals } = readArguments(HELP, {
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '1440' },
    only: { type: 'string', default: '' },
    server: { type: 'string', default: SVC },
    compare: { type: 'boolean', default: false },
    check: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'svc-attack', 'results.json') },
    resume: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})

function positive(name: string, text: string): number {
  const value = Number(text)
  return Number.isFinite(value) && value > 0 ? value : fail(`--${name} is "${text}"; give a number above 0`)
}

function selected(): readonly Attack[] {
  const names = flags.only.split(',').filter((name) => name !== '')
  if (names.length === 0) return ATTACKS
  const found = ATTACKS.filter(({ name }) => names.some((wanted) => name.startsWith(wanted)))
  return found.length > 0 ? found : fail(`--only ${flags.only} names no attack; --list lists them`)
}

function sides(): [Side, string][] {
  if (!flags.compare) return [['after', resolve(flags.server)]]
  const [before, after] = positionals
  if (before === undefined || after === undefined) fail('--compare takes two executables: BEFORE AFTER')
  return [
    ['before', resolve(before)],
    ['after', resolve(after)],
  ]
}

/** One run of the attacks that still need it; a server that does not start is reported. */
async function run(
  side: Side,
  executable: string,
  attacks: readonly Attack[],
  results: Results,
): Promise<void> {
  try {
    await attackOnce(side, executable, attacks, results)
  } catch (error) {
    console.error(`${side} ! ${executable}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Attacks one server, each time on the state that the earlier attacks left. */
async function attackOnce(
  side: Side,
  executable: string,
  attacks: readonly Attack[],
  results: Results,
): Promise<void> {
  await using arena = await Arena.open(executable, results.jobs)
  if (arena.idle) results.idle[side] ??= arena.idle
  for (const attack of attacks) {
    if (performance.now() > end) return
    try {
      const measurement = await arena.measure(attack)
      results.attacks[side][attack.name] = [...(results.attacks[side][attack.name] ?? []), measurement]
      writeResults(flags.out, results)
      const summary = summarize([measurement])
      if (summary) console.error(`${side} ${lineOf(attack, summary)}`)
    } catch (error) {
      console.error(`${side} ! ${attack.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

function needsRun(measured: Results['attacks'][Side][string] = [], number: number): boolean {
  if (measured.length >= number) return false
  return !measured.some(({ stall, isDead }) => isDead || stall > CLEAR_STALL_MS)
}

/** Attacks that broke the promise in every run, each with the first breach. */
function broken(attacks: readonly Attack[], results: Results, margin: number): [Attack, string][] {
  return attacks.flatMap((attack) => {
    const found = (results.attacks.after[attack.name] ?? []).map((run) => {
      const summary = summarize([run])
      return summary ? breaches(attack, summary, margin) : []
    })
    const isKept = found.some((each) => each.length === 0)
    return isKept ? [] : [[attack, found[0]?.join('; ') ?? 'not measured'] satisfies [Attack, string]]
  })
}

/** Repeats the attacks that broke the promise: other work on the machine does so too, but not each time. */
async function check(executable: string, attacks: readonly Attack[], results: Results, margin: number) {
  for (let number = 1; number < CHECK_RUNS; number += 1) {
    const again = broken(attacks, results, margin).map(([attack]) => attack)
    if (again.length === 0) return []
    await run('after', executable, again, results)
  }
  return broken(attacks, results, margin)
}

if (flags.list) {
  for (const { name, who, input, cap } of ATTACKS) console.log(`${name}\t${who}\t${input}\t(${cap})`)
  process.exit(0)
}
const attacks = selected()
const runs = positive('runs', flags.runs)
const jobs = positive('jobs', flags.jobs)
const end = performance.now() + positive('minutes', flags.minutes) * 60_000
const results = flags.resume ? readResults(flags.out, jobs) : readResults('', jobs)
for (let number = 1; number <= runs; number += 1) {
  for (const [side, executable] of sides()) {
    const left = attacks.filter(({ name }) => needsRun(results.attacks[side][name], number))
    if (left.length > 0 && performance.now() < end) await run(side, executable, left, results)
  }
}
if (flags.json) console.log(JSON.stringify(results))
if (flags.markdown) console.log(markdownTable(attacks, results))
const missed = attacks.flatMap((attack) => {
  const summary = summarize(results.attacks.after[attack.name])
  const found = summary ? breaches(attack, summary) : ['not measured']
  return found.length > 0 ? [`${attack.name}: ${found.join('; ')}`] : []
})
console.error(`\n${attacks.length - missed.length} of ${attacks.length} attacks keep the promise`)
for (const each of missed) console.error(`✗ ${each}`)
if (flags.check !== undefined) {
  const margin = positive('check', flags.check)
  const failed = await check(resolve(positionals[1] ?? flags.server), attacks, results, margin)
  console.log(`${attacks.length - failed.length} attacks passed, ${failed.length} failed (margin ${margin})`)
  for (const [{ name }, found] of failed) console.log(`failed: ${name}: ${found}`)
  if (failed.length > 0) process.exit(1)
}
process.exit(0)
