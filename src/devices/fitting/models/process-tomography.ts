import { type Estimate, type Fit, rejectFit } from '../fit.ts'
import {
  basesOf,
  correct,
  determinant,
  inverseAssignment,
  pauliVector,
  preparationWeight,
  type RealMatrix,
  SETTINGS,
  SIZE,
  STATES,
  shares,
  signOf,
  weightOf,
} from '../pauli-settings.ts'
import { physicalTransfer } from '../physical-transfer.ts'
import { PAUSE, type Steps } from '../steps.ts'
import { finiteDigits, mapTrace } from '../trace.ts'

/** Largest root mean square between measured probabilities and those of the physical process. */
const MAX_RESIDUAL = 0.05
/** Standard errors by which a fidelity may exceed 1. */
const MAX_EXCESS = 3
/** Standard errors by which it has to exceed that of random outcomes. */
const MIN_EXCESS = 5

/** Counts of outcomes 00, 01, 10, 11 (first qubit first). */
type Counts = readonly number[]

/** What process tomography measured. */
interface TomographyCounts {
  /**
   * Per preparation (the second qubit's changes fastest, each 0, 1, +, +i) and per basis (the second's
   * changes fastest, each X, Y, Z) the counts of 00, 01, 10, 11.
   */
  counts: readonly (readonly Counts[])[]
  /** Per qubit the probability of reading k after preparing j, one row per prepared state. */
  assignments?: readonly (readonly (readonly number[])[])[] | undefined
  /** Pauli transfer matrix of the ideal gate, row-major; that of CZ by default. */
  ideal?: ArrayLike<number>
}

/** A process of two qubits. */
interface ProcessTomography {
  /** Average gate fidelity, (4·F_process + 1)/5. */
  fidelity: Estimate
  process_fidelity: Estimate
  /** Average gate fidelity of `transfer`; noise makes it too low. */
  physical_fidelity: Estimate
  /** Root mean square of measured probabilities less those of the process. */
  residual: Estimate
  /** Pauli transfer matrix of the process, row-major, in the order II, IX, IY, IZ, XI, … */
  transfer: number[]
}

/**
 * Reconstructs a process of two qubits from 16 preparations in 9 bases (I. L. Chuang and M. A. Nielsen, J.
 * Mod. Opt. 44, 2455 (1997)): expectation values by least squares, corrected for readout by the inverse of
 * its assignment, then the closest completely positive process (J. A. Smolin, J. M. Gambetta and G. Smith,
 * PRL 108, 070502 (2012)). The fidelity and its error are those before the projection, which would bias them.
 * Rejected when a setting has no counts (`no_data`), when no process explains the counts within 0.05
 * (`no_signal`), or when the fidelity is above 1.
 */
export function* fitProcess({
  counts,
  assignments,
  ideal = czTransfer(),
}: TomographyCounts): Steps<Fit<ProcessTomography>> {
  const problem = problemOf(counts, assignments)
  if (problem) return rejectFit('no_data', problem)
  const inverses = [0, 1].map((qubit) => inverseAssignment(assignments?.[qubit]))
  const measured = counts.map((settings) => settings.map((outcome) => shares(outcome)))
  const corrected = measured.map((settings) => settings.map((outcome) => correct(outcome, inverses)))
  yield PAUSE
  const transfer = linearTransfer(corrected)
  yield PAUSE
  const physical = physicalTransfer(transfer)
  yield PAUSE
  const residual = residualOf(physical, corrected)
  const raw = overlap(ideal, transfer)
  yield PAUSE
  const error = fidelityError({ counts, measured, inverses, ideal })
  const values: ProcessTomography = {
    fidelity: { value: averageOf(raw), error: 0.8 * error },
    process_fidelity: { value: raw, error },
    physical_fidelity: { value: averageOf(overlap(ideal, physical)), error: 0.8 * error },
    residual: { value: residual, error: 0 },
    transfer: Array.from(physical, (value) => finiteDigits(value)),
  }
  const axis = { unit: '', values: Array.from({ length: SIZE }, (_, at) => at) }
  const fit = mapTrace(
    { model: 'process', x: { name: 'input', ...axis }, y: { name: 'output', ...axis }, z: physical },
    { fidelity: values.fidelity },
  )
  const quality = { residual: finiteDigits(residual), points: SIZE * SETTINGS * STATES }
  if (!(residual < MAX_RESIDUAL)) {
    const message = `The counts differ from every physical process by ${residual.toFixed(3)} (root mean square)`
    return rejectFit('no_signal', message, { quality, fit })
  }
  if (!(raw > 1 / SIZE + MIN_EXCESS * error)) {
    return rejectFit('no_signal', 'The outcomes do not depend on the gate: they are random', { quality, fit })
  }
  if (raw > 1 + MAX_EXCESS * error + 1e-9) {
    return rejectFit('implausible', `The process fidelity is ${raw.toFixed(4)}`, { quality, fit })
  }
  return { ok: true, values, quality, fit }
}

/** Average gate fidelity of a process fidelity of two qubits. */
function averageOf(processFidelity: number): number {
  return (4 * processFidelity + 1) / 5
}

/** Pauli transfer matrix of the controlled-Z gate, row-major. */
export function czTransfer(): Float64Array {
  const transfer = new Float64Array(SIZE * SIZE)
  for (let pauli = 0; pauli < SIZE; pauli++) {
    const [a, b] = [pauli >> 2, pauli & 3]
    const flips = (one: number) => one === 1 || one === 2
    // X and Y of one qubit gain a Z of the other, which maps 1 ↔ Z and X ↔ Y with a sign.
    const image = 4 * (flips(b) ? 3 - a : a) + (flips(a) ? 3 - b : b)
    const isNegative = (a === 1 && b === 2) || (a === 2 && b === 1)
    const isSwapped = flips(a) && flips(b)
    transfer[image * SIZE + pauli] = isSwapped && isNegative ? -1 : 1
  }
  return transfer
}

function problemOf(
  counts: TomographyCounts['counts'],
  assignments: TomographyCounts['assignments'],
): string | undefined {
  if (counts.length !== SIZE) return `${counts.length} preparations; tomography needs ${SIZE}`
  for (const [preparation, settings] of counts.entries()) {
    const isWhole =
      settings.length === SETTINGS &&
      settings.every(
        (outcome) =>
          outcome.length === STATES &&
          outcome.every((count) => Number.isFinite(count) && count >= 0) &&
          outcome.some((count) => count > 0),
      )
    if (!isWhole) return `Preparation ${preparation} needs counts of 4 outcomes in ${SETTINGS} bases`
  }
  const first = JSON.stringify(counts[0]?.[0])
  if (counts.every((settings) => settings.every((outcome) => JSON.stringify(outcome) === first))) {
    return 'The acquisition holds no signal: all settings have equal counts'
  }
  const isSingular = assignments?.some((matrix) => !(Math.abs(determinant(matrix)) > 0.1))
  return isSingular ? 'The readout does not distinguish the states' : undefined
}

/** Row-major transfer matrix by least squares. */
function linearTransfer(corrected: readonly (readonly (readonly number[])[])[]): Float64Array {
  const transfer = new Float64Array(SIZE * SIZE)
  for (let row = 0; row < SIZE; row++) {
    const bases = basesOf(row)
    for (const [preparation, settings] of corrected.entries()) {
      const expectation = bases.reduce(
        (sum, basis) =>
          sum + (settings[basis] ?? []).reduce((all, share, state) => all + share * signOf(row, state), 0),
        0,
      )
      for (let column = 0; column < SIZE; column++) {
        const weight = preparationWeight(preparation, column) / bases.length
        transfer[row * SIZE + column] = (transfer[row * SIZE + column] as number) + weight * expectation
      }
    }
  }
  return transfer
}

/** Process fidelity of two transfer matrices, one of them unitary. */
function overlap(ideal: ArrayLike<number>, transfer: Float64Array): number {
  return transfer.reduce((sum, value, at) => sum + value * (ideal[at] as number), 0) / SIZE
}

/** Root mean square of the measured probabilities less those of a process. */
function residualOf(transfer: Float64Array, corrected: readonly (readonly (readonly number[])[])[]): number {
  let sum = 0
  for (const [preparation, settings] of corrected.entries()) {
    const input = pauliVector(preparation)
    const output = Float64Array.from({ length: SIZE }, (_, row) =>
      input.reduce((all, value, column) => all + value * (transfer[row * SIZE + column] as number), 0),
    )
    for (const [basis, outcome] of settings.entries()) {
      const paulis = Array.from({ length: SIZE }, (_, pauli) => pauli).filter((pauli) =>
        basesOf(pauli).includes(basis),
      )
      for (const [state, share] of outcome.entries()) {
        const predicted =
          paulis.reduce((all, pauli) => all + (output[pauli] as number) * signOf(pauli, state), 0) / STATES
        sum += (share - predicted) ** 2
      }
    }
  }
  return Math.sqrt(sum / (SIZE * SETTINGS * STATES))
}

/**
 * Standard error of the linear process fidelity: each setting is one multinomial draw with weights per
 * outcome.
 */
function fidelityError(parts: {
  counts: TomographyCounts['counts']
  measured: readonly (readonly (readonly number[])[])[]
  inverses: readonly RealMatrix[]
  ideal: ArrayLike<number>
}): number {
  const { counts, measured, inverses, ideal } = parts
  let variance = 0
  for (const [preparation, settings] of measured.entries()) {
    // Weight of the expectation of each output Pauli product after this preparation.
    const rows = Array.from({ length: SIZE }, (_, row) => {
      let sum = 0
      for (let column = 0; column < SIZE; column++) {
        sum += ((ideal[row * SIZE + column] as number) * preparationWeight(preparation, column)) / SIZE
      }
      return { row, bases: basesOf(row), weight: sum }
    })
    for (const [basis, outcome] of settings.entries()) {
      const used = rows.filter(({ bases }) => bases.includes(basis))
      const weights = outcome.map((_, reading) =>
        used.reduce((sum, { row, bases, weight }) => {
          let all = 0
          for (let state = 0; state < STATES; state++)
            all += signOf(row, state) * weightOf(inverses, state, reading)
          return sum + (weight * all) / bases.length
        }, 0),
      )
      const mean = outcome.reduce((sum, share, reading) => sum + share * (weights[reading] ?? 0), 0)
      const square = outcome.reduce((sum, share, reading) => sum + share * (weights[reading] ?? 0) ** 2, 0)
      const shots = counts[preparation]?.[basis]?.reduce((sum, count) => sum + count, 0) ?? 1
      variance += (square - mean * mean) / shots
    }
  }
  return Math.sqrt(Math.max(variance, 0))
}
