/**
 * The simulator `aer_sim` compared with Qiskit Aer, 2 threads each, 1,024 shots, the two taking turns:
 * `bun bench/simulator.ts [--rounds 5] [--sizes 4,8,12,14,16,18,20,22,24,26] [--only
 * qft,cz,cx,ghz,qaoa,qv,single,files,stabilizer] [--chains FOLDER]`. In double precision but for `single`,
 * the families in single precision on both sides; `--chains` adds the OpenQASM 2 files of a folder, named
 * `NAME_nQUBITS.qasm`, as matrix product states. Needs python3 (3.11 or newer), for which it installs Aer.
 *
 * Our time is from the text of the program to the counts, on a device that has run before. Aer's time is one
 * call of `run(…).result()` from Python with a circuit that was read and transpiled before, its gates
 * unchanged, with and without gate fusion, and up to 22 qubits also with fusion on one thread, which other
 * work on the machine disturbs less (at 24 qubits it took 2.6 times as long): the ratios are to the best of
 * them. "With reading" adds the time of `qasm2.loads`, since ours includes reading the text.
 * `random cz` and `random cx` are 20 layers of one `u3` per qubit and n/2 random pairs; QFT starts from a
 * product of random states; `qv` is quantum volume with as many layers as qubits. The published circuits are
 * those of at most the largest of `sizes`; for circuits with resets, Aer recomputes the state for each shot,
 * which takes minutes from 18 qubits on: where it takes longer than a minute, Aer runs only once.
 */
import { loadavg } from 'node:os'
import { buildKernel } from '../scripts/build-kernel.ts'
import {
  chainContests,
  familyContests,
  fileContests,
  singleContests,
  stabilizerContest,
} from './simulator/contests.ts'
import { FAMILIES } from './simulator/programs.ts'
import { type Contest, type Goal, Sides, type Timing } from './simulator/sides.ts'
import { formatFigure, type Spread, spreadOf } from './support/figures.ts'
import { printHead, printRow, startBench } from './support/output.ts'

/** The sides, in the order of their turns. */
const SIDES = ['ours', 'fused', 'plain', 'single'] as const

/** Maximum number of qubits for which a warm-up round runs first. */
const WARM_UP_QUBITS = 20
/** Maximum number of qubits for which Aer also runs on one thread. */
const SINGLE_QUBITS = 22
/** After a call of more seconds, Aer is not run again for the program. */
const MAX_AER_CALL_S = 60

function verdictOf(goal: Goal, ours: Spread, ratios: readonly number[]): string {
  const [figures, bound] = 'ms' in goal ? [[ours.min, ours.median], goal.ms] : [ratios, goal.ratio]
  const met = figures.filter((figure) => figure <= bound).length
  const text = 'ms' in goal ? `${formatFigure(bound)} ms` : `${bound}`
  return `${text}: ${met === figures.length ? 'met' : met === 0 ? 'missed' : 'met in one'}`
}

const msOf = (timings: readonly Timing[], part: 'job' | 'simulation'): Spread =>
  spreadOf(timings.map((timing) => timing[part] * 1_000))

type Found = Record<(typeof SIDES)[number], Timing[]>

/** The sides of a contest, in the order of their turns. */
function sidesOf({ goal, qubits }: Contest): readonly (typeof SIDES)[number][] {
  if ('ms' in goal) return ['ours']
  return SIDES.filter((side) => side !== 'single' || qubits <= SINGLE_QUBITS)
}

/** The times of both sides. */
async function runRounds(sides: Sides, contest: Contest, rounds: number): Promise<Found> {
  const turns = {
    ours: () => sides.ours(contest),
    fused: () => sides.aer(contest, true),
    plain: () => sides.aer(contest, false),
    single: () => sides.aer(contest, true, 1),
  }
  let taking = sidesOf(contest)
  const found: Found = { ours: [], fused: [], plain: [], single: [] }
  for (let round = contest.qubits <= WARM_UP_QUBITS ? -1 : 0; round < rounds; round++) {
    for (const side of taking) {
      const timing = await turns[side]()
      const isTooLong = side !== 'ours' && timing.job > MAX_AER_CALL_S
      if (round >= 0 || isTooLong) found[side].push(timing)
      if (!isTooLong) continue
      taking = ['ours']
      break
    }
  }
  return found
}

/** How long Qiskit takes to read the program, ms. */
async function readingOf(sides: Sides, contest: Contest, rounds: number): Promise<number> {
  if ('ms' in contest.goal) return Number.NaN
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) seconds.push(await sides.reading(contest))
  return 1_000 * Math.min(...seconds)
}

/** The contest in rounds, as a row of the table. */
async function rowOf(sides: Sides, contest: Contest, rounds: number): Promise<(string | number)[]> {
  const found = await runRounds(sides, contest, rounds)
  const reading = await readingOf(sides, contest, rounds)
  const ours = msOf(found.ours, 'job')
  const theirs = [found.fused, found.plain, found.single].map((timings) => msOf(timings, 'job'))
  const measured = theirs.filter(({ min }) => !Number.isNaN(min))
  const best = Math.min(...measured.map(({ min }) => min))
  const ratios = [ours.min / best, ours.median / Math.min(...measured.map(({ median }) => median))]
  const inside = msOf([...found.fused, ...found.plain, ...found.single], 'simulation').min
  const methods = new Set([...found.ours, ...found.fused].map(({ method }) => method))
  return [
    `${contest.name}${methods.has('statevector') && methods.size === 1 ? '' : ` (${[...methods].join('; Aer ')})`}`,
    ours.min,
    ours.median,
    msOf(found.ours, 'simulation').min,
    ...theirs.flatMap(({ min, median }) => [min, median]),
    inside,
    reading,
    ...ratios,
    ours.min / (reading + best),
    verdictOf(contest.goal, ours, ratios),
    (loadavg()[0] ?? Number.NaN).toFixed(0),
  ]
}

const { rounds, sizes, only, chains } = startBench('Simulator compared with Aer', {
  sizes: '4,8,12,14,16,18,20,22,24,26',
  only: [...Object.keys(FAMILIES), 'single', 'files', 'stabilizer'].join(),
  chains: '',
})
await buildKernel()
const names = only.split(',')
const numbers = sizes.split(',').map(Number)
const contests = [
  ...familyContests(names, numbers),
  ...(names.includes('single') ? singleContests(numbers) : []),
  ...(chains === '' ? [] : await chainContests(chains)),
  ...(names.includes('files') ? await fileContests(Math.max(...numbers)) : []),
  ...(names.includes('stabilizer') ? [stabilizerContest()] : []),
]
{
  await using sides = await Sides.open()
  console.log(`${await sides.versions()}\n`)
  printHead([
    'ms',
    'svc min',
    'median',
    'evolving',
    'Aer, fusion, min',
    'median',
    'Aer, no fusion, min',
    'median',
    'Aer, 1 thread, min',
    'median',
    'its simulation',
    'Qiskit reading',
    'ratio of min',
    'of medians',
    'with reading',
    'goal',
    'load',
  ])
  for (const contest of contests) printRow(await rowOf(sides, contest, rounds))
}
