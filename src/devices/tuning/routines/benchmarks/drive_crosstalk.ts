import type { Schedule } from '../../../pulse/schedule.ts'
import { drivenBeside } from '../../measure/driven-beside.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 1_000
/** Half turns on another line at the frequency of the target: few show a large share, many a small one. */
const COUNTS = [2, 10, 50]
/** Half turns of the other qubit itself, and the population of the target that they may move. */
const OWN_PULSES = 20
const MAX_MOVED = 0.05
/** Standard errors beyond it. */
const CLEAR = 4
/** Shares of the drive that are compared with what was seen. */
const LARGEST_SHARE = 0.25
const SHARES = 2_501

/**
 * What the drive lines of the other qubits do to a qubit: by how much of a half turn a half turn of each
 * other one turns it at its own frequency, which is its row of the drive crosstalk matrix; and the population
 * that twenty half turns of each other qubit move, as circuits play them. More than 5 % is a failure with the
 * figures: no pulse of the other leaves this qubit as it is.
 */
export const driveCrosstalk = defineRoutine({
  name: 'drive_crosstalk',
  kind: 'qubit',
  dependsOn: ['randomized_benchmarking'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  size: { points: COUNTS.length + 1, shots: SHOTS, heralds: 2 },
  *measure(context) {
    const others = drivenBeside(context)
    const shares: (number | null)[] = []
    const moved: number[] = []
    for (const other of others) {
      const frequency = context.self.number('clock_freqs.f01')
      const found = yield* tried(
        context,
        COUNTS.map((count) => pulsesOf(context, other, count, { frequency })),
      )
      shares.push(found && shareOf(found))
      const [own = 0] = yield* populations(context, [pulsesOf(context, other, OWN_PULSES, {})], SHOTS)
      moved.push(own)
    }
    const error = Math.sqrt(MAX_MOVED / context.shots(SHOTS))
    const worst = Math.max(...moved)
    if (!Number.isFinite(worst)) throw new RoutineError('no_data', 'The acquisition holds no signal')
    const known = shares.filter((share) => share !== null)
    const quality = { largest_share: Math.max(0, ...known), moved: worst }
    if (worst > MAX_MOVED + CLEAR * error) {
      const at = moved.indexOf(worst)
      const share =
        shares[at] === null ? '' : `, each ${(100 * (shares[at] ?? 0)).toPrecision(2)} % of one of its own`
      const apart = Math.abs(numberOf(context, others[at]) - context.self.number('clock_freqs.f01')) / 1e6
      const message = `${OWN_PULSES} half turns of ${others[at]}${share}, ${apart.toPrecision(3)} MHz away, leave it in 1 with ${(100 * worst).toPrecision(3)} %`
      throw new RoutineError('drive_crosstalk', message, { quality })
    }
    return {
      benchmark: {
        metric: 'drive_crosstalk',
        error: Math.max(0, worst),
        rawData: { qubits: others, shares, moved },
      },
      quality,
    }
  },
})

function numberOf(context: RoutineContext, qubit = ''): number {
  return context.element(qubit).number('clock_freqs.f01')
}

/** Half turns on the line of another qubit, then a readout of the target. */
function pulsesOf(
  context: RoutineContext,
  other: string,
  count: number,
  overrides: { frequency?: number },
): Schedule {
  const { target } = context
  const schedule = context.schedule()
  for (let pulse = 0; pulse < count; pulse++) schedule.rotate(other, Math.PI, 0, overrides)
  return schedule.barrier(other, target).measure(target).build()
}

/** Populations; null where the line of the other qubit does not play the frequency. */
function* tried(context: RoutineContext, points: readonly Schedule[]): Measurement<ArrayLike<number> | null> {
  try {
    return yield* populations(context, points, SHOTS)
  } catch (error) {
    if (error instanceof RoutineError && error.code === 'not_playable') return null
    throw error
  }
}

/** The share of a drive at which repeated half turns move these populations, by least squares. */
function shareOf(found: ArrayLike<number>): number {
  const squares = (share: number) =>
    COUNTS.reduce((sum, count, at) => {
      const expected = Math.sin((Math.PI * share * count) / 2) ** 2
      return sum + ((found[at] ?? Number.NaN) - expected) ** 2
    }, 0)
  const shares = Array.from({ length: SHARES }, (_, at) => (LARGEST_SHARE * at) / (SHARES - 1))
  return shares.reduce((best, share) => (squares(share) < squares(best) ? share : best), 0)
}
