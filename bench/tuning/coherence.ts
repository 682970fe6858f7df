/**
 * Coherence times and errors of pulses beside the truth, over ranges wider than those of the chips that the
 * product draws: `bun bench/tuning/coherence.ts [--qubits 40] [--routines t1,t2,t2_echo] [--seed N]`. T1 is
 * between 5 µs and 5 ms, T2 between 0.1 and 2 T1, T2* between 0.15 and 0.95 of it. The seed is drawn at each
 * run. "ratio" is found ÷ true, "pull" the distance in standard errors. Exits 1 when a routine fails, when a
 * mean ratio is outside 0.97–1.03 or the standard deviation of the pulls outside 0.8–1.3, or when a bound
 * excludes the truth more often than its confidence allows.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { BUILT_IN_ROUTINES } from '../../src/devices/tuning/routines/index.ts'
import { createRng } from '../../src/simulator/index.ts'
import { calibratedQubit } from '../../tests/support/tuning/calibrated-qubit.ts'
import { printHead, printRow } from '../support/output.ts'
import { deviationOf, meanOf } from './pulls.ts'

const { values: flags } = parseArgs({
  options: {
    qubits: { type: 'string', default: '40' },
    routines: { type: 'string', default: 't1,t2,t2_echo' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    verbose: { type: 'boolean', default: false },
  },
})
const seed = Number(flags.seed)
const names = flags.routines.split(',')
console.log(`seed ${seed}\n`)

interface Seen {
  ratios: number[]
  pulls: number[]
  bounds: number
  wrongBounds: number
  failures: string[]
}
const seen = new Map<string, Seen>(
  names.map((name) => [name, { ratios: [], pulls: [], bounds: 0, wrongBounds: 0, failures: [] }]),
)
const start = performance.now()
for (let index = 0; index < Number(flags.qubits); index++) {
  const rng = createRng(seed)
  rng.seek(index, 0)
  const between = (low: number, high: number) => low + (high - low) * rng.next()
  const t1 = 5e-6 * 1000 ** rng.next()
  const t2_echo = 2 * t1 * between(0.05, 1)
  const t2_star = t2_echo * between(0.15, 0.95)
  const hand = rng.next() < 0.5 ? 1 : -1
  const qubit = calibratedQubit(seed + index, { t1, t2_echo, t2_star }, { hand })
  const truths: Record<string, number> = {
    t1,
    t2: t2_star,
    t2_echo,
    randomized_benchmarking: qubit.gateError,
    purity_benchmarking: qubit.coherenceLimit,
  }
  for (const name of names) {
    const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
    const all = seen.get(name)
    if (!routine || !all) throw new Error(`no routine ${name}`)
    // Benchmarks follow the measurement of T1, for which each repetition waits.
    if (name.endsWith('_benchmarking')) qubit.values.set('q0', 'coherence.t1', t1)
    const { error, finding, attempts } = await qubit.measure(routine)
    const truth = truths[name] ?? Number.NaN
    const line = `qubit ${index}, T1 ${t1.toExponential(2)}, T2 ${t2_echo.toExponential(2)}, T2* ${t2_star.toExponential(2)}: ${name}`
    const bound = finding?.benchmark?.upperBound
    if (bound) {
      all.bounds += 1
      if (truth > bound.error) all.wrongBounds += 1
      if (flags.verbose) console.log(`${line} ${truth.toExponential(2)} < ${bound.error.toExponential(2)}`)
      continue
    }
    const [parameter] = Object.values(finding?.parameters ?? {})
    const value = finding?.benchmark?.error ?? parameter?.value
    const spread = finding?.benchmark?.fidelityError ?? parameter?.error ?? Number.NaN
    if (error || typeof value !== 'number') {
      all.failures.push(`${line} ${error?.code} ${error?.message}`)
      console.log(`  ${all.failures.at(-1)}`)
      continue
    }
    all.ratios.push(value / truth)
    all.pulls.push((value - truth) / spread)
    if (flags.verbose)
      console.log(
        `${line} ${(value / truth).toFixed(3)} pull ${((value - truth) / spread).toFixed(2)} attempts ${attempts} ${JSON.stringify(finding?.quality)}`,
      )
  }
}
printHead(['routine', 'values', 'bounds', 'wrong', 'failed', 'mean ratio', 'pulls: mean', 'deviation', ''])
let isMissed = false
for (const [name, { ratios, pulls, bounds, wrongBounds, failures }] of seen) {
  const [ratio, spread] = [meanOf(ratios), deviationOf(pulls)]
  // Errors of pulses have causes beside those that their truth counts: their ratio is shown only.
  const isTime = !name.endsWith('_benchmarking')
  const isMet =
    failures.length === 0 &&
    wrongBounds <= 0.15 * bounds &&
    (!isTime || (Math.abs(ratio - 1) <= 0.03 && spread >= 0.8 && spread <= 1.3))
  isMissed ||= !isMet
  printRow([
    ...[name, String(ratios.length), String(bounds), String(wrongBounds), String(failures.length)],
    ...[ratio.toFixed(3), meanOf(pulls).toFixed(2), spread.toFixed(2), isMet ? 'met' : 'missed'],
  ])
}
console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`)
process.exit(isMissed ? 1 : 0)
