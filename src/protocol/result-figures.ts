import type { ExpectedResults } from './expected-results.ts'
import type { CircuitResult, JobFailure, JobResults } from './jobs.ts'
import { type MemoryFigures, memoryFiguresOf } from './memory-figures.ts'

/** Figures of the counts of one result. */
interface CountsFigures {
  sum: number
  /** Length of the shortest and of the longest bit string; absent without any. */
  widths?: [shortest: number, longest: number]
  /** What is not a bit string with a number of shots. */
  malformed?: string
}

/** Figures of the exact values of one result. */
interface ExactFigures {
  /** Number of expectation values. */
  values?: number
  /** Sum of the probabilities, and a bit string of another length than the first; absent without any. */
  probabilities?: { sum: number; width: number; other?: number }
}

/** How far probabilities may be from a sum of 1: those below rounding errors are left out. */
const PROBABILITY_TOLERANCE = 1e-6

/** Figures of the result of one circuit with one parameter set. */
export interface CircuitFigures {
  shots: number
  discarded: number
  /** Result bits by its own header. */
  bits: number
  counts?: CountsFigures
  /** Exact values. */
  exact: ExactFigures
  /** Whether the result says that its counts are left out. */
  isCountless: boolean
  memory?: MemoryFigures
}

/** What a check of results needs to know about them, however large they are. */
export interface ResultFigures {
  backend: string
  success: boolean
  /** Whether the top level repeats the first result. */
  isRepeated: boolean
  circuits: CircuitFigures[]
}

const MAX_NAME_LENGTH = 100
/** Outcomes between two calls of the checkpoint. */
const CHECK_INTERVAL = 4_096

/**
 * The figures of results. Reads every count and every entry of a memory once: linear in their length.
 * @param checkpoint called regularly; it may throw to end the work
 */
export function figuresOf(results: JobResults, checkpoint = () => {}): ResultFigures {
  const { backend, success, circuit_results } = results
  return {
    backend: backend.slice(0, MAX_NAME_LENGTH),
    success,
    isRepeated: repeatsFirst(results),
    circuits: circuit_results.map((each) => circuitFiguresOf(each, checkpoint)),
  }
}

function repeatsFirst({ shots, counts, circuit_results: [first] }: JobResults): boolean {
  if (first === undefined) return true
  if (shots !== first.shots) return false
  if (counts === undefined || counts === first.counts) return true
  const outcomes = Object.keys(counts)
  const all = first.counts ?? {}
  return outcomes.length === Object.keys(all).length && outcomes.every((each) => counts[each] === all[each])
}

/** The figures of one result. @param checkpoint as of `figuresOf` */
export function circuitFiguresOf(result: CircuitResult, checkpoint = () => {}): CircuitFigures {
  const { shots, discarded_shots, header, counts, memory } = result
  const bits = header.memory_slots
  const counted = counts && countsFigures(counts, checkpoint)
  // Counts that are wrong by themselves are reported as such.
  const isComparable = counted?.malformed === undefined && counted?.widths?.every((width) => width === bits)
  const options = { bits, counts: isComparable ? counts : undefined, checkpoint }
  return {
    shots,
    discarded: discarded_shots ?? 0,
    bits,
    isCountless: result.counts_omitted ?? false,
    exact: exactFigures(result, checkpoint),
    ...(counted && { counts: counted }),
    ...(memory !== undefined && memory !== null && { memory: memoryFiguresOf(memory, options) }),
  }
}

function exactFigures(
  { expectation_values, probabilities }: CircuitResult,
  checkpoint: () => void,
): ExactFigures {
  const values = expectation_values && { values: expectation_values.length }
  if (!probabilities) return { ...values }
  let sum = 0
  let width: number | undefined
  let other: number | undefined
  for (const [index, [outcome, probability]] of Object.entries(probabilities).entries()) {
    if (index % CHECK_INTERVAL === 0) checkpoint()
    sum += probability
    width ??= outcome.length
    if (outcome.length !== width) other = outcome.length
  }
  return { ...values, probabilities: { sum, width: width ?? 0, ...(other !== undefined && { other }) } }
}

function countsFigures(counts: Record<string, number>, checkpoint: () => void): CountsFigures {
  let sum = 0
  let [shortest, longest] = [Number.POSITIVE_INFINITY, -1]
  let malformed: string | undefined
  for (const [index, [outcome, shots]] of Object.entries(counts).entries()) {
    if (index % CHECK_INTERVAL === 0) checkpoint()
    if (!Number.isSafeInteger(shots) || shots < 0 || /[^01]/.test(outcome))
      malformed ??= `${JSON.stringify(outcome.slice(0, MAX_NAME_LENGTH))}: ${shots}`
    sum += shots
    shortest = Math.min(shortest, outcome.length)
    longest = Math.max(longest, outcome.length)
  }
  return {
    sum,
    ...(longest >= 0 && { widths: [shortest, longest] as [number, number] }),
    ...(malformed !== undefined && { malformed }),
  }
}

/** What results must be, of one circuit with one parameter set. */
interface Expected extends Pick<ExpectedResults, 'meas_level' | 'meas_return' | 'memory'> {
  shots: number
  bits: number
  /** Number of expectation values of a result of exact values, 0 for its probabilities. */
  exact: number | undefined
}

/**
 * How results contradict their job: the field with the figure found and the one expected. Undefined for
 * results that are complete.
 */
export function contradictionOf(figures: ResultFigures, expected: ExpectedResults): string | undefined {
  const { circuits, isRepeated, success } = figures
  const wanted = wantedOf(expected)
  if (!success) return 'success is false'
  if (circuits.length !== wanted.length)
    return `circuit_results has ${of(circuits.length, 'result')}, the job ${wanted.length} (circuits × parameter sets)`
  for (const [index, found] of circuits.entries()) {
    const problem = problemAt(index, found, expected, wanted)
    if (problem !== undefined) return problem
  }
  return isRepeated ? undefined : 'shots and counts do not repeat those of circuit_results.0'
}

/** The same of single results of a job before its end, each at its position in `circuit_results`. */
export function partialContradictionOf(
  results: readonly { index: number; figures: CircuitFigures }[],
  expected: ExpectedResults,
): string | undefined {
  const wanted = wantedOf(expected)
  for (const { index, figures } of results) {
    if (wanted[index] === undefined)
      return `circuit_results.${index} is not expected of ${of(wanted.length, 'result')}`
    const problem = problemAt(index, figures, expected, wanted)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Shots and result bits of each result. */
type Wanted = { shots: number; bits: number | null }[]

function wantedOf(expected: ExpectedResults): Wanted {
  return expected.results.flatMap(([number, shots, bits]) =>
    Array.from({ length: number }, () => ({ shots, bits })),
  )
}

function problemAt(
  index: number,
  found: CircuitFigures,
  expected: ExpectedResults,
  wanted: Wanted,
): string | undefined {
  const { shots = found.shots, bits } = wanted[index] ?? {}
  const exact = expected.exact?.[index]
  const problem = problemOf(found, { ...expected, exact, shots, bits: bits ?? found.bits })
  return problem === undefined ? undefined : `circuit_results.${index}.${problem}`
}

function problemOf(found: CircuitFigures, expected: Expected): string | undefined {
  const { shots, discarded, counts, memory, isCountless } = found
  const unexact =
    expected.exact === undefined ? undefined : exactProblem(found, expected.exact, expected.bits)
  if (unexact !== undefined) return unexact
  if (shots !== expected.shots) return `shots is ${shots}, the job asks for ${expected.shots}`
  if (!Number.isSafeInteger(discarded) || discarded < 0 || discarded > shots)
    return `discarded_shots is ${discarded}, expected a whole number from 0 to ${shots}`
  if (expected.exact !== undefined) return undefined
  // A program without result bits has nothing to count or to keep.
  if (expected.bits === 0)
    return counts && counts.sum !== 0 ? countsProblem(counts, found, expected) : undefined
  // Counts may be left out if they follow from the memory.
  const isCounted = expected.meas_level === 2 && !(isCountless && expected.memory === 'packed' && !counts)
  return (
    (isCounted ? countsProblem(counts, found, expected) : undefined) ?? memoryProblem(memory, found, expected)
  )
}

function exactProblem({ exact }: CircuitFigures, expected: number, bits: number): string | undefined {
  if (expected > 0) {
    if (exact.values === expected) return undefined
    const found = exact.values === undefined ? 'missing' : of(exact.values, 'value')
    return `expectation_values: ${found}, the job asks for ${expected}`
  }
  if (!exact.probabilities) return 'probabilities are missing, which the job asks for'
  const { sum, width, other } = exact.probabilities
  const wrong = width === bits ? other : width
  if (wrong !== undefined)
    return `probabilities has an outcome of ${of(wrong, 'bit')}, the program has ${bits}`
  return Math.abs(sum - 1) <= PROBABILITY_TOLERANCE ? undefined : `probabilities add up to ${sum}`
}

function countsProblem(
  counts: CountsFigures | undefined,
  { shots, discarded }: CircuitFigures,
  { bits }: Expected,
): string | undefined {
  if (!counts) return `counts are missing for ${of(shots, 'shot')}`
  const { sum, widths, malformed } = counts
  if (malformed !== undefined)
    return `counts has ${malformed}, which is not a bit string with a number of shots`
  const [shortest, longest] = widths ?? [bits, bits]
  const wrong = shortest === bits ? longest : shortest
  if (wrong !== bits) return `counts has an outcome of ${of(wrong, 'bit')}, the program has ${bits}`
  if (sum === shots - discarded) return undefined
  return `counts add up to ${sum} of ${of(shots, 'shot')}${discarded > 0 ? `, ${discarded} of them discarded` : ''}`
}

function memoryProblem(
  memory: MemoryFigures | undefined,
  found: CircuitFigures,
  expected: Expected,
): string | undefined {
  const { shots, discarded } = found
  const { meas_level: level, meas_return, memory: kept } = expected
  if (level === 2 && kept === 'none') return undefined
  if (!memory) return 'memory is missing, which the job asks for'
  const entries = shots - discarded
  if (level === 2 && kept === 'packed') return packedProblem(memory, entries, found, expected)
  if (memory.form !== 'list') return 'memory is not a list'
  const isMean = level === 0 || (level === 1 && meas_return === 'avg')
  if (!isMean && memory.length !== entries)
    return `memory has ${of(memory.length, 'entry', 'entries')} for ${of(entries, 'shot')}`
  return level === 2 ? outcomesProblem(memory, found, expected) : undefined
}

function packedProblem(
  memory: MemoryFigures,
  entries: number,
  found: CircuitFigures,
  expected: Expected,
): string | undefined {
  if (memory.form !== 'packed') return 'memory is not packed, which the job asks for'
  const bytes = entries * Math.ceil(expected.bits / 8)
  if (memory.bytes !== bytes) return `memory has ${of(memory.bytes, 'byte')}, expected ${bytes}`
  return outcomesProblem(memory, found, expected)
}

function outcomesProblem(
  { bits: most, disagreement }: { bits?: number; disagreement?: string },
  { bits: slots }: CircuitFigures,
  { bits }: Expected,
): string | undefined {
  if (most === undefined) return 'memory has an entry that is not a text 0x…'
  // Clients read the memory by it.
  if (slots !== bits) return `header.memory_slots is ${slots}, the program has ${of(bits, 'bit')}`
  return most <= bits ? disagreement : `memory has an outcome of ${of(most, 'bit')}, the program has ${bits}`
}

function of(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Code of a job whose device returned results that are malformed or contradict the job. */
export const INVALID_RESULTS = 'invalid_results'

/**
 * The failure of a job whose results contradict it. It is final, because the device would return the same
 * again, and not charged.
 * @param device name of the device, with its driver where that is known
 */
export function contradictedFailure(device: string, contradiction: string): JobFailure {
  const message = `The results of ${device} contradict the job: ${contradiction}`
  return { class: 'user', message, error_code: INVALID_RESULTS }
}
