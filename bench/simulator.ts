/**
 * The simulator `aer_sim` compared with Qiskit Aer, qulacs, qsim and stim, 2 threads each, the sides taking
 * turns: `bun bench/simulator.ts [--rounds 5] [--only double,single,repeated,codes,noise,files,chains,
 * feedback] [--sizes 4,8,12,16,20,22] [--circuits FOLDER] [--page yes]`. Prints the tables of the parts in
 * `--only` and writes each into its section of `docs/benchmarks/simulator.md`, unless `--page no`.
 * `--circuits` adds the OpenQASM 2 files of a folder, named `NAME_nQUBITS.qasm`, to chains and feedback.
 * Needs python3 (3.11 or newer), for which it installs the others; rows are without those that are missing.
 *
 * Our time is from the text of the program to the counts, on a device that has run before. The time of the
 * others is one call from Python with a circuit that was read and prepared before. The ratio is to the
 * fastest of them. A side whose call takes longer than 10 s runs once.
 */
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { buildKernel } from '../scripts/build-kernel.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { PIECES, type Piece } from './simulator/pieces.ts'
import { type Contest, Sides, type Timing } from './simulator/sides.ts'
import { spreadOf } from './support/figures.ts'
import { printHead, printRow, startBench, tableOf } from './support/output.ts'
import { writeSection } from './support/page.ts'

/** After a call of more seconds, a side is not run again for the contest. */
const MAX_CALL_S = 10
/** The page that has a section for each part. */
const PAGE = 'simulator.md'

/** A measured contest. */
interface Row {
  ours: { min: number; median: number }
  /** Least time of each peer, ms. */
  peers: Map<string, number>
  /** Ours divided by that of the fastest peer: least times, and medians. */
  ratios: [number, number]
  methods: Set<string>
}

/** The sides of a contest in turns, whose order alternates; the first round warms up. */
async function runContest(sides: Sides, contest: Contest, rounds: number): Promise<Row> {
  const calls = contest.calls.filter((call) => sides.has(call))
  const turns = [
    (round: number) => sides.ours(contest, round),
    ...calls.map((call) => () => sides.peer(call, contest.repeats)),
  ].map((run) => ({ run, timings: [] as Timing[], isLong: false }))
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 ? turns : turns.toReversed()
    for (const turn of order) {
      if (turn.isLong) continue
      const timing = await turn.run(round)
      turn.isLong = timing.seconds > MAX_CALL_S
      if (round > 0 || turn.isLong) turn.timings.push(timing)
    }
  }
  const [ours = { min: Number.NaN, median: Number.NaN }, ...theirs] = turns.map(({ timings }) =>
    spreadOf(timings.map(({ seconds }) => 1_000 * seconds)),
  )
  const peers = new Map<string, number>()
  for (const [index, { min }] of theirs.entries()) {
    const peer = calls[index]?.peer ?? ''
    peers.set(peer, Math.min(min, peers.get(peer) ?? Number.POSITIVE_INFINITY))
  }
  const fastest = (part: 'min' | 'median') => Math.min(...theirs.map((spread) => spread[part]))
  const methods = new Set(turns.flatMap(({ timings }) => timings.flatMap(({ method }) => method ?? [])))
  return { ours, peers, ratios: [ours.min / fastest('min'), ours.median / fastest('median')], methods }
}

function verdictOf({ goal }: Contest, ratios: readonly number[]): string {
  if (goal === undefined) return ''
  const met = ratios.filter((ratio) => ratio <= goal).length
  return `${goal}: ${met === ratios.length ? 'met' : met === 0 ? 'missed' : 'met in one'}`
}

/** The geometric means and the largest of the ratios of rows with a goal. */
function summaryOf(rows: readonly Row[], mean: number | undefined): string {
  const [least, medians] = ([0, 1] as const).map((part) => rows.map(({ ratios }) => ratios[part])) as [
    number[],
    number[],
  ]
  const meanOf = (ratios: readonly number[]) =>
    Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length).toFixed(2)
  const goal = mean === undefined ? '' : ` (goal ${mean})`
  return `Geometric mean of the ratios of ${rows.length} rows: ${meanOf(least)} of least times${goal}, ${meanOf(medians)} of medians; largest ${Math.max(
    ...least,
  ).toFixed(2)} and ${Math.max(...medians).toFixed(2)}.`
}

const LEAD = ['ms', 'svc, least', 'median']
const END = ['ratio of least', 'of medians', 'goal']

/** Runs the contests of a section; prints and returns its text. */
async function runPiece(sides: Sides, { about, contests, mean }: Piece, rounds: number): Promise<string> {
  const names = [...new Set(contests.flatMap(({ calls }) => calls.map(({ peer }) => peer)))]
  const head = [...LEAD, ...names, ...END]
  printHead(head)
  const cells: (string | number)[][] = []
  const measured: Row[] = []
  for (const contest of contests) {
    const row = await runContest(sides, contest, rounds)
    const { ours, peers, ratios } = row
    const methods = row.methods.size > 1 ? ` (${[...row.methods].join('; Aer ')})` : ''
    const theirs = names.map((name) => peers.get(name) ?? '')
    cells.push([
      `${contest.name}${methods}`,
      ours.min,
      ours.median,
      ...theirs,
      ...ratios,
      verdictOf(contest, ratios),
    ])
    printRow(cells.at(-1) ?? [])
    if (contest.goal !== undefined) measured.push(row)
  }
  const summary = summaryOf(measured, mean)
  console.log(`\n${summary}\n`)
  const versions = `${await sides.versions()}; ${rounds} rounds, least times in ms.`
  return [about, versions, tableOf(head, cells), summary].join('\n\n')
}

const { rounds, sizes, only, circuits, page } = startBench('Simulator compared with others', {
  sizes: '4,8,12,16,20,22',
  only: Object.keys(PIECES).join(),
  circuits: '',
  page: 'yes',
})
await buildKernel()
using folder = temporaryFolder()
const noise = {
  write(name: string, text: string): string {
    const path = join(folder.path, name)
    writeFileSync(path, text)
    return path
  },
}
await using sides = await Sides.open()
for (const name of only.split(',')) {
  const make = PIECES[name]
  if (!make) throw new Error(`--only has "${name}"; there are ${Object.keys(PIECES).join(', ')}`)
  const piece = make({ sizes: sizes.split(',').map(Number), circuits, noise })
  const [loadBefore = 0] = loadavg()
  console.log(`#### ${piece.heading}\n`)
  const text = await runPiece(sides, piece, rounds)
  const given = circuits === '' ? '' : ' --circuits FOLDER'
  const command = `bun bench/simulator.ts --only ${name} --sizes ${sizes} --rounds ${rounds}${given}`
  if (page === 'yes') await writeSection(PAGE, { heading: piece.heading, command, loadBefore, text })
}
