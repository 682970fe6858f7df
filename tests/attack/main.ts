/**
 * Measures what each attack of the corpus does to other users of the built executable: `npm run attack --
 * [--jobs N] [--runs N] [--only NAME,…]`. See docs/benchmarks/attacks.md.
 */
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
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
  --only NAMES    attacks whose names begin with one of these, separated by commas
  --server PATH   executable to attack (./svc)
  --compare       attacks two executables: BEFORE and AFTER
  --check MARGIN  exit status 1 if the promise is broken with bounds that are MARGIN times as high
  --out PATH      file of the results, written after each attack
  --resume        continues the results in that file
  --markdown      prints the table of the documentation
  --json          prints the results
  --list          lists the attacks
  --help
`
/** A stall of this length is not measured again. */
const CLEAR_STALL_MS = 2_000

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    server: { type: 'string', default: SVC },
    compare: { type: 'boolean', default: false },
    check: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'svc-attack', 'results.json') },
    resume: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function fail(problem: string): never {
  console.error(problem)
  process.exit(2)
}

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

/** One run of the attacks that still need it, each on the state that the earlier ones left. */
async function run(
  side: Side,
  executable: string,
  attacks: readonly Attack[],
  results: Results,
): Promise<void> {
  await using arena = await Arena.open(executable, results.jobs)
  if (arena.idle) results.idle[side] ??= arena.idle
  for (const attack of attacks) {
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

if (flags.help) {
  console.log(HELP)
  process.exit(0)
}
if (flags.list) {
  for (const { name, who, input, cap } of ATTACKS) console.log(`${name}\t${who}\t${input}\t(${cap})`)
  process.exit(0)
}
const attacks = selected()
const runs = positive('runs', flags.runs)
const jobs = positive('jobs', flags.jobs)
const results = flags.resume ? readResults(flags.out, jobs) : readResults('', jobs)
for (let number = 1; number <= runs; number += 1) {
  for (const [side, executable] of sides()) {
    const left = attacks.filter(({ name }) => needsRun(results.attacks[side][name], number))
    if (left.length > 0) await run(side, executable, left, results)
  }
}
if (flags.json) console.log(JSON.stringify(results))
if (flags.markdown) console.log(markdownTable(attacks, results))
const margin = flags.check === undefined ? 1 : positive('check', flags.check)
const broken = attacks.flatMap((attack) => {
  const summary = summarize(results.attacks.after[attack.name])
  const found = summary ? breaches(attack, summary, margin) : ['not measured']
  return found.length > 0 ? [`${attack.name}: ${found.join('; ')}`] : []
})
console.error(`\n${attacks.length - broken.length} of ${attacks.length} attacks keep the promise`)
for (const each of broken) console.error(`✗ ${each}`)
process.exit(flags.check !== undefined && broken.length > 0 ? 1 : 0)
