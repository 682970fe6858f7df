import { describeBytes } from '../../../base/index.ts'
import {
  JOB_LIMITS,
  type JobPayload,
  memoryLength,
  RESULTS_TOO_LARGE,
  type RecordedShots,
} from '../../../protocol/index.ts'
import type { Problem } from '../../programs/messages.ts'

/**
 * The problem of a job whose results are too large by the length of the memory that it asks for, which shots
 * and bits determine; it names what fits. Hexadecimal outcomes count with all their bits, so that acceptance
 * does not depend on what is measured. `bits` are the result bits of each circuit.
 */
export function memoryProblem(payload: JobPayload, bits: readonly number[]): Problem | undefined {
  const lengthWith = (recorded: RecordedShots) =>
    payload.circuits.reduce((sum, { shots = payload.shots, parameter_values = [] }, index) => {
      const length = memoryLength(recorded, bits[index] ?? 0, shots)
      return sum + Math.max(1, parameter_values.length) * length
    }, 0)
  const length = lengthWith(payload)
  const max = JOB_LIMITS.resultBytes
  if (length <= max) return undefined
  const isPoints = payload.meas_level === 1
  const compact: RecordedShots = isPoints
    ? { ...payload, meas_return: 'avg' }
    : { ...payload, memory_format: 'packed' }
  const compactLength = lengthWith(compact)
  const what = isPoints ? 'meas_return avg' : 'memory_format packed'
  const remedy =
    compactLength <= max && compactLength < length
      ? `ask for ${what} (${describeBytes(compactLength)}), or for fewer shots or circuits`
      : 'ask for fewer shots or circuits, or split the job'
  return {
    path: isPoints ? 'meas_return' : 'memory',
    code: RESULTS_TOO_LARGE.error_code,
    message: `The outcomes of all shots take ${isPoints || payload.memory_format === 'packed' ? '' : 'up to '}${describeBytes(length)}, results at most ${describeBytes(max)}: ${remedy}.`,
    params: { max, length },
  }
}

/** Characters of an outcome in counts besides its bits: `"":1,`. */
const COUNT_LENGTH = 5

/**
 * The warning of a job whose counts make its results too large when all outcomes differ: only its run shows
 * whether they do. With packed memory, such counts are left out.
 */
export function countsWarnings(payload: JobPayload, bits: readonly number[]): Problem[] {
  const { circuits, meas_level, memory_format, exact } = payload
  if (exact || meas_level !== 2 || memory_format === 'packed') return []
  const lengths = circuits.map(({ shots = payload.shots, parameter_values = [] }, index) => {
    const width = bits[index] ?? 0
    const outcomes = Math.min(shots, 2 ** width) * (width + COUNT_LENGTH)
    return [outcomes, Math.max(1, parameter_values.length) * (outcomes + memoryLength(payload, width, shots))]
  })
  // The results repeat the counts of the first circuit.
  const length = lengths.reduce((sum, [, all = 0]) => sum + all, lengths[0]?.[0] ?? 0)
  const max = JOB_LIMITS.resultBytes
  if (length <= max) return []
  const warning = {
    path: 'shots',
    code: RESULTS_TOO_LARGE.error_code,
    message: `If their outcomes differ, the results take up to ${describeBytes(length)}, and above ${describeBytes(max)} the job fails after its run: ask for memory true with memory_format packed, or for fewer shots or circuits.`,
    params: { max, length },
  }
  return [warning]
}
