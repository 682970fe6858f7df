import { createRng } from '../../../../simulator/index.ts'
import { fitInterleaved, type Sequences } from '../../../fitting/models/benchmarking/interleaved.ts'
import { accepted, tracesOf } from '../../measure/accept.ts'
import { sampleDecay } from '../../measure/benchmark-depths.ts'
import { countsOf, type JointReadout, jointReadout, readBoth } from '../../measure/pair/joint-readout.ts'
import { LEVEL_2_PRIORS, type LeakedShare, leakedShare } from '../../measure/pair/leaked-share.ts'
import { CORRECTED_GATE, JOINT_PRIORS } from '../../measure/pair/pair.ts'
import { CZ_GATE, inverseOfPair, type PairGate, randomPairGates } from '../../measure/pair/pair-clifford.ts'
import { leftOfPair, type SurvivalReading, survivalReading } from '../../measure/pair/pair-remainder.ts'
import { playPairGate } from '../../measure/pair/play-pair.ts'
import { allShotsOf } from '../../measure/shots.ts'
import { defineRoutine, type Measurement, type RoutineContext } from '../../routine.ts'

const DEPTHS = [0, 2, 4, 8, 16, 32, 64, 128]
/** The deepest sequences: errors of 1e-4 have taken half of the survival there. */
const DEEPEST = 2_048
/** Sequences of a depth differ more than the shots of one: many are better than many shots. */
const SEEDS = 20
const SHOTS = 1_000
const BASE = 0.25

/**
 * Measures the error of the gate by interleaved randomized benchmarking: random Clifford gates of both qubits
 * that end with the one which undoes them, without and with the gate after each. The survival of 00 decays
 * faster with it. The sequences grow until the decay is seen; an error that is not resolved is reported as an
 * upper bound. Where the upper qubit can be brought to 2, the growth of its population is the leakage, and
 * the decay is that within the computational states.
 */
export const czRb = defineRoutine({
  name: 'cz_rb',
  dependsOn: ['cz_local_phases', 'randomized_benchmarking'],
  reads: CORRECTED_GATE,
  priors: [...JOINT_PRIORS, ...LEVEL_2_PRIORS],
  needs: ['cz'],
  size: { points: 2 * DEPTHS.length * SEEDS, shots: SHOTS, heralds: 2 },
  *measure(context) {
    const readout = yield* jointReadout(context)
    const { base, withoutRemainder } = survivalReading(readout, leftOfPair(context, readout))
    const reading = { readout, withoutRemainder, shareOf2: yield* leakedShare(context) }
    const kinds = [false, true].map((isInterleaved): Decay => ({ isInterleaved, survival: [], leaked: [] }))
    const { depths } = yield* sampleDecay(context, {
      depths: DEPTHS,
      deepest: DEEPEST,
      base: BASE,
      *measure(part) {
        const found = kinds.map(({ isInterleaved }): Decay => {
          return { isInterleaved, survival: part.map(() => []), leaked: part.map(() => []) }
        })
        for (let seed = 0; seed < Number(context.setting('seeds') ?? SEEDS); seed++) {
          for (const kind of found) yield* addSeed(context, kind, { depths: part, seed, ...reading })
        }
        for (const [at, { survival, leaked }] of found.entries()) {
          kinds[at]?.survival.push(...survival)
          kinds[at]?.leaked.push(...leaked)
        }
        return found[0]?.survival ?? []
      },
    })
    const [plain, including] = kinds.map(
      ({ survival, leaked }): Sequences => ({ depths, survival, ...(reading.shareOf2 && { leaked }) }),
    )
    if (!plain || !including) throw new TypeError('both kinds of sequences are measured')
    const fitted = yield* fitInterleaved(plain, including, { qubits: 2, base })
    const { gate, interleaved, leakage, upperBound } = fitted
    const common = {
      metric: 'average_gate',
      gateDuration: context.self.number('cz.square_duration'),
      ...(leakage && { leakage: leakage.value, leakageError: leakage.error }),
      rawData: {
        depths,
        reference: plain.survival,
        interleaved: including.survival,
        ...(plain.leaked && { leaked_reference: plain.leaked, leaked_interleaved: including.leaked }),
      },
    }
    if (upperBound) return { benchmark: { ...common, upperBound }, ...tracesOf(interleaved) }
    const { values, fit, quality } = accepted(gate)
    const { gate_error: error } = values
    return {
      benchmark: { ...common, fidelity: 1 - error.value, error: error.value, fidelityError: error.error },
      trace: fit,
      quality: {
        ...quality,
        reference_error: values.reference_error.value,
        interleaved_error: values.interleaved_error.value,
      },
    }
  },
})

/** Survival of 00 and population of level 2, `[depth][seed]`. */
interface Decay {
  readonly isInterleaved: boolean
  readonly survival: number[][]
  readonly leaked: number[][]
}

interface SeedOptions {
  readonly depths: readonly number[]
  readonly seed: number
  readonly readout: JointReadout
  readonly withoutRemainder: SurvivalReading['withoutRemainder']
  readonly shareOf2: LeakedShare | undefined
}

/** Measures the sequences of one seed, in a program of their own: they are long. */
function* addSeed(
  context: RoutineContext,
  { isInterleaved, survival, leaked }: Decay,
  { depths, seed, readout, withoutRemainder, shareOf2 }: SeedOptions,
): Measurement<void> {
  const points = depths.map((depth) => sequence(context, depth, seed, isInterleaved))
  const { found, isHeralded } = yield* allShotsOf(context, points, context.shots(SHOTS), { mayHerald: true })
  const left = leftOfPair(context, { isHeralded })
  for (const [at, shots] of found.entries()) {
    const counts = countsOf(shots, readout)
    const share = (counts[0] ?? Number.NaN) / counts.reduce((sum, count) => sum + count, 0)
    survival[at]?.push(withoutRemainder(share, left))
    if (shareOf2) leaked[at]?.push(shareOf2(shots))
  }
}

/** A seed has sequences of its own at each depth, the same without and with the gate. */
function sequence(context: RoutineContext, depth: number, seed: number, isInterleaved: boolean) {
  const rng = createRng(seed)
  rng.seek(depth, 2)
  const random = randomPairGates(rng, depth)
  const gates: PairGate[] = isInterleaved ? random.flatMap((gate) => [gate, CZ_GATE]) : random
  const schedule = context.schedule()
  for (const gate of [...gates, inverseOfPair(gates)]) {
    playPairGate(schedule, context, gate)
    // Both qubits wait for each other here without the gate, too, or their waiting counts as its error.
    schedule.barrier(context.parent.name, context.child.name)
  }
  return readBoth(schedule, context)
}
