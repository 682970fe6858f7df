import type { ComplexSeries } from '../../../fitting/complex-series.ts'
import { DISCRIMINATION_PRIORS, discriminatorPaths } from '../../measure/discrimination.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { allShotsOf } from '../../measure/shots.ts'
import { storedShifts } from '../../measure/tone-shifts.ts'
import { defineRoutine, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 2_000
/** Qubits of a line of which every state is prepared; of more, a balanced choice of states. */
const MAX_WHOLE = 5
const CHOSEN_STATES = 32
/** How many times as often as alone 0 may be read as 1, and the standard errors beyond that. */
const MAX_RATIO = 2
const CLEAR = 4

/**
 * Reads all qubits of the line of a qubit together, in all of its states: how often each is read rightly
 * beside the others, the assignment matrix of the line, and how errors of two qubits go together. A qubit
 * that is read as 1 more than twice as often beside the tones of the others as alone fails.
 */
const lineReadoutIn = (statesOf: (qubits: number) => readonly number[]) =>
  defineRoutine({
    name: 'line_readout',
    kind: 'qubit',
    dependsOn: ['two_state_discrimination'],
    reads: DRIVEN,
    priors: [...DRIVE_PRIORS, ...DISCRIMINATION_PRIORS],
    size: { points: CHOSEN_STATES, shots: SHOTS },
    *measure(context) {
      const { target, qubits } = context
      const mates = context.lineMatesOf(target)
      if (mates.length === 0) throw new RoutineError('declined', 'no other qubit is read on its line')
      const line = qubits.filter((qubit) => qubit === target || mates.includes(qubit))
      const bits = yield* readLine(context, line, statesOf(line.length))
      const own = line.indexOf(target)
      const [alone, beside] = [bits.alone, sharesOf(bits.read, 0, own)]
      const error = Math.sqrt((alone * (1 - alone) + beside * (1 - beside) + 1 / bits.shots) / bits.shots)
      if (beside > MAX_RATIO * alone + CLEAR * error) {
        const [together, single] = [beside, alone].map((share) => `${(100 * share).toPrecision(3)} %`)
        const message = `read beside ${mates.join(', ')}, ${target} in 0 is 1 in ${together} of the shots, alone in ${single}`
        throw new RoutineError('readout_crosstalk', message, { quality: { alone, beside } })
      }
      const assignments = line.map((_, at) => assignmentOf(bits.states, bits.read, at))
      const [[, zero = 0] = [], [one = 0] = []] = assignments[own] ?? []
      const shots = (bits.shots * bits.states.length) / 2
      return {
        benchmark: {
          metric: 'assignment',
          fidelity: 1 - (zero + one) / 2,
          error: (zero + one) / 2,
          fidelityError: Math.sqrt((zero * (1 - zero) + one * (1 - one) + 1 / shots) / shots) / 2,
          rawData: {
            qubits: line,
            assignments,
            one_alone: alone,
            one_beside: beside,
            correlations: correlationsOf(bits.states, bits.read, line.length),
            // One of the line is enough.
            ...(own === 0 &&
              bits.states.length === 2 ** line.length && { matrix: matrixOf(bits.read, line.length) }),
          },
        },
        quality: { alone, beside, points: bits.shots * bits.states.length },
      }
    },
  })

/** In all states of a line. */
export const lineReadout = lineReadoutIn(allStatesOf)

/** In `0…0` and `1…1` only, for a quick look. */
export const lineEndsReadout = lineReadoutIn((qubits) => [0, 2 ** qubits - 1])

/** What was read of a line: per prepared state and shot the bits of its qubits, the first one lowest. */
interface LineBits {
  readonly states: readonly number[]
  readonly read: readonly Uint32Array[]
  readonly shots: number
  /** Share of ones of the target in 0, alone. */
  readonly alone: number
}

function* readLine(
  context: RoutineContext,
  line: readonly string[],
  states: readonly number[],
): Measurement<LineBits> {
  const shots = context.shots(SHOTS)
  const scheduleOf = (state: number, read: readonly string[]) => {
    const schedule = context.schedule()
    for (const [at, qubit] of line.entries()) if ((state >> at) & 1) schedule.rotate(qubit, Math.PI)
    schedule.barrier(...line)
    for (const qubit of read) schedule.measure(qubit, { point: 'measure_2state' })
    return schedule.build()
  }
  const points = [scheduleOf(0, [context.target]), ...states.map((state) => scheduleOf(state, line))]
  const {
    found: [single = [], ...found],
  } = yield* allShotsOf(context, points, shots)
  const bitsOf = (series: readonly ComplexSeries[], of: readonly string[]) => {
    const read = new Uint32Array(shots)
    for (const [at, qubit] of of.entries()) addBits(read, series[at], at, thresholdOf(context, qubit, of))
    return read
  }
  const alone = bitsOf(single, [context.target])
  return {
    states,
    shots,
    alone: alone.reduce((sum, bit) => sum + bit, 0) / shots,
    read: found.map((series) => bitsOf(series, line)),
  }
}

/**
 * All states of a few qubits; of more, states in which each two qubits have each pair of bits equally often.
 */
function allStatesOf(qubits: number): number[] {
  const isWhole = qubits <= MAX_WHOLE
  const count = isWhole ? 2 ** qubits : CHOSEN_STATES
  return Array.from({ length: count }, (_, index) => {
    let state = 0
    for (let qubit = 0; qubit < qubits; qubit++) {
      const code = isWhole ? 1 << qubit : qubit + 1
      if (parityOf(index & code)) state |= 1 << qubit
    }
    return state
  })
}

function parityOf(bits: number): number {
  let parity = 0
  for (let left = bits; left > 0; left &= left - 1) parity ^= 1
  return parity
}

function thresholdOf(context: RoutineContext, qubit: string, read: readonly string[]) {
  const self = context.element(qubit)
  const paths = discriminatorPaths({ self })
  const shifts = storedShifts({ self, qubits: context.qubits })
  const shift = context.qubits.reduce(
    (sum, other, at) => sum + (read.includes(other) ? (shifts[at] ?? 0) : 0),
    0,
  )
  return { rotation: self.number(paths.rotation), threshold: self.number(paths.threshold) + shift }
}

function addBits(
  read: Uint32Array,
  series: ComplexSeries | undefined,
  bit: number,
  { rotation, threshold }: { rotation: number; threshold: number },
): void {
  const angle = (rotation * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  for (let shot = 0; shot < read.length; shot++) {
    const real = cos * (series?.re[shot] ?? 0) - sin * (series?.im[shot] ?? 0)
    if (real >= threshold) read[shot] = (read[shot] ?? 0) | (1 << bit)
  }
}

/** Share of the shots of a state in which a qubit is read as 1. */
function sharesOf(read: LineBits['read'], state: number, qubit: number): number {
  const shots = read[state] ?? new Uint32Array(0)
  return shots.reduce((sum, bits) => sum + ((bits >> qubit) & 1), 0) / shots.length
}

/** Probability of reading 0 and 1 (columns) of a qubit in 0 and in 1 (rows), whatever the others are in. */
function assignmentOf(states: readonly number[], read: LineBits['read'], qubit: number): number[][] {
  return [0, 1].map((bit) => {
    const shares = states.flatMap((state, at) =>
      ((state >> qubit) & 1) === bit ? [sharesOf(read, at, qubit)] : [],
    )
    const one = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)
    return [1 - one, one]
  })
}

/** Probability of each outcome of a line (columns) in each of its states (rows). */
function matrixOf(read: LineBits['read'], qubits: number): number[][] {
  return read.map((shots) => {
    const row = Array.from({ length: 2 ** qubits }, () => 0)
    for (const outcome of shots) row[outcome] = (row[outcome] ?? 0) + 1 / shots.length
    return row.map((share) => Number(share.toPrecision(6)))
  })
}

/** How the errors of each two qubits of a line correlate, from -1 to 1, over all states. */
function correlationsOf(states: readonly number[], read: LineBits['read'], qubits: number): number[][] {
  const wrong = read.flatMap((all, at) => Array.from(all, (outcome) => outcome ^ (states[at] ?? 0)))
  const rate = (mask: number) =>
    wrong.reduce((sum, bits) => sum + Number((bits & mask) === mask), 0) / wrong.length
  const line = Array.from({ length: qubits }, (_, at) => 1 << at)
  return line.map((one) =>
    line.map((other) => {
      const [a, b] = [rate(one), rate(other)]
      const spread = Math.sqrt(a * (1 - a) * b * (1 - b))
      return spread > 0 ? Number(((rate(one | other) - a * b) / spread).toPrecision(3)) : 0
    }),
  )
}
