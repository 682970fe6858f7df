/**
 * Errors of CZ gates beside the truth, over ranges wider than those of the chips that the product draws: `bun
 * bench/tuning/gate-errors.ts [--edges 40] [--routines cz_rb,process_tomography] [--seed N]`. T1 of both
 * qubits is between 5 µs and 5 ms, T2 between 0.3 and 2 T1. The gates have about the errors that coherence
 * leaves. The seed is drawn at each run. Exits 1 when a routine fails, when more bounds exclude the truth
 * than their confidence allows, or when the pulls of at least 20 values have a standard deviation outside
 * 0.8–1.3 or a mean that is beyond ±0.3 by more than chance.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { czCalibration } from '../../src/devices/tuning/routines/edge/cz_calibration.ts'
import { BUILT_IN_ROUTINES } from '../../src/devices/tuning/routines/index.ts'
import { createRng } from '../../src/simulator/index.ts'
import { PI_NS, qubitOf } from '../../tests/support/simulated-chip/experiments.ts'
import { pulsesAround } from '../../tests/support/tuning/acceptance/gate-claims.ts'
import { gatePair } from '../../tests/support/tuning/gate-pair.ts'
import { printHead, printRow } from '../support/output.ts'
import { deviationOf, meanOf } from './pulls.ts'

/** Fewer pulls have a deviation that says nothing. */
const MIN_PULLS = 20
/** Largest mean of the pulls, beside two of its standard errors. */
const MAX_MEAN = 0.3

const { values: flags } = parseArgs({
  options: {
    edges: { type: 'string', default: '40' },
    routines: { type: 'string', default: 'cz_rb,process_tomography' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const seed = Number(flags.seed)
console.log(`seed ${seed}\n`)
printHead(['edge', 'T1, s', 'routine', 'found', '±', 'bound', 'true', 'pull or bound holds', 's'])
let [failed, bounds, wrong] = [0, 0, 0]
/** Distances from the truth in standard errors, by routine. */
const pulls = new Map<string, number[]>(flags.routines.split(',').map((name) => [name, []]))
for (let index = 0; index < Number(flags.edges); index++) {
  const rng = createRng(seed)
  rng.seek(index, 0)
  const t1 = 5e-6 * 1000 ** rng.next()
  const { pair, truthNow, correctPhases } = gatePair({
    hand: rng.next() < 0.5 ? 1 : -1,
    seed: seed + index,
    adjust(truth) {
      for (const name of Object.keys(truth.qubits)) {
        const qubit = qubitOf(truth, name)
        qubit.t1 = t1 * (0.7 + 0.6 * rng.next())
        qubit.t2_echo = 2 * qubit.t1 * (0.15 + 0.85 * rng.next())
        qubit.t2_star = qubit.t2_echo * (0.3 + 0.6 * rng.next())
      }
    },
  })
  const calibrated = await pair.measure(czCalibration)
  correctPhases()
  const gateError = truthNow().error
  const ends = ['q0', 'q1'].map((end) => ({ name: end, duration: PI_NS * 1e-9 }))
  // Tomography includes the errors of the pulses around the gate.
  const tomographyError = gateError + pulsesAround(pair.chip.conditions(), ends)
  for (const name of flags.routines.split(',')) {
    const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
    if (!routine) throw new Error(`no routine ${name}`)
    const start = performance.now()
    const { error, finding } = await pair.measure(routine)
    const seconds = (performance.now() - start) / 1000
    const truth = name === 'process_tomography' ? tomographyError : gateError
    const { error: value, fidelityError, upperBound } = finding?.benchmark ?? {}
    if (error) failed++
    if (upperBound) bounds++
    if (upperBound && truth > upperBound.error) wrong++
    const pull = ((value ?? Number.NaN) - truth) / (fidelityError ?? 1)
    if (!error && !upperBound) pulls.get(name)?.push(pull)
    const judged = upperBound ? String(truth <= upperBound.error) : pull.toFixed(2)
    printRow([
      ...[String(index), t1.toExponential(1), `${name}${calibrated.error ? ' (not calibrated)' : ''}`],
      ...[
        error ? `${error.code}: ${error.message}` : (value?.toExponential(2) ?? ''),
        fidelityError?.toExponential(1) ?? '',
      ],
      ...[upperBound?.error.toExponential(2) ?? '', truth.toExponential(2), judged, seconds.toFixed(1)],
    ])
  }
}
console.log(`\n${failed} failed, ${wrong} of ${bounds} bounds exclude the truth`)
let isMissed = failed > 0 || wrong > Math.max(1, 0.15 * bounds)
for (const [name, all] of pulls) {
  const [mean, deviation] = [meanOf(all), deviationOf(all)]
  console.log(`${name}: ${all.length} pulls, mean ${mean.toFixed(2)}, deviation ${deviation.toFixed(2)}`)
  const isBiased = Math.abs(mean) > Math.max(MAX_MEAN, (2 * deviation) / Math.sqrt(all.length))
  isMissed ||= all.length >= MIN_PULLS && (isBiased || !(deviation >= 0.8 && deviation <= 1.3))
}
process.exit(isMissed ? 1 : 0)
