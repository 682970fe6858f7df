import { expect, test } from 'bun:test'
import {
  contradictedFailure,
  contradictionOf,
  type ExpectedResults,
  expectedResultsOf,
  figuresOf,
  type JobPayload,
  type JobResults,
} from '../../src/protocol/index.ts'
// The package for devices in Python has the same cases.
import cases from './result-cases.json'

interface Case {
  name: string
  bits: number | null
  shots: number
  slots?: number
  number?: number
  job?: Partial<ExpectedResults>
  result: Record<string, unknown>
  top?: Record<string, unknown>
  contradiction?: string
}

function resultsOf({ shots, bits, slots = bits ?? 0, result, top }: Case): JobResults {
  const header = {
    name: 'circuit_0',
    n_qubits: 1,
    memory_slots: slots,
    creg_sizes: [],
    qreg_sizes: [],
    metadata: {},
  }
  const first = { shots, header, metadata: {}, ...result }
  const repeated = { shots: first.shots, ...('counts' in result && { counts: result['counts'] }) }
  const all = { success: true, backend: 'coin', ...repeated, circuit_results: [first], metadata: {}, ...top }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null),
  ) as unknown as JobResults
}

test.each((cases as Case[]).map((each) => [each.name, each] as const))(
  'contradictionOf() of %s',
  (_, each) => {
    const { bits, shots, number = 1, job, contradiction } = each
    const expected: ExpectedResults = {
      ...{ meas_level: 2, meas_return: 'single', memory: 'none' },
      ...job,
      results: [[number, shots, bits]],
    }
    expect(contradictionOf(figuresOf(resultsOf(each)), expected)).toBe(contradiction as string)
  },
)

test('expectedResultsOf() is short for circuits alike, and follows shots, parameter sets and bits', () => {
  const circuit = 'OPENQASM 3.0;'
  const payload: JobPayload = {
    circuits: [
      { circuit },
      { circuit, parameter_values: [[1], [2]] },
      { circuit, parameter_values: [], shots: 5 },
      { circuit, shots: 5 },
    ],
    ...{ shots: 9, meas_level: 2, meas_return: 'single', memory: true, memory_format: 'packed' },
  }
  expect(expectedResultsOf(payload, [2, 2, 2, 3])).toEqual({
    ...{ meas_level: 2, meas_return: 'single', memory: 'packed' },
    results: [
      [3, 9, 2],
      [1, 5, 2],
      [1, 5, 3],
    ],
  })
  expect(expectedResultsOf({ ...payload, memory: false }).results).toEqual([
    [3, 9, null],
    [2, 5, null],
  ])
  expect(expectedResultsOf({ ...payload, memory: false }).memory).toBe('none')
})

test('contradictionOf() names the result by its position', () => {
  const one = resultsOf({ name: '', bits: 1, shots: 4, result: { counts: { 0: 4 } } })
  const [good] = one.circuit_results
  const results = { ...one, circuit_results: [good, good, { ...good, counts: { 0: 3 } }] } as JobResults
  const expected = {
    meas_level: 2,
    meas_return: 'single',
    memory: 'none',
    results: [[3, 4, 1]],
  } as ExpectedResults
  expect(contradictionOf(figuresOf(results), expected)).toBe(
    'circuit_results.2.counts add up to 3 of 4 shots',
  )
  const results4: ExpectedResults = {
    ...expected,
    results: [
      [2, 4, 1],
      [1, 3, 1],
    ],
  }
  expect(contradictionOf(figuresOf(results), results4)).toBe(
    'circuit_results.2.shots is 4, the job asks for 3',
  )
})

test('contradictedFailure() is final and names the device', () => {
  expect(contradictedFailure('device coin', 'success is false')).toEqual({
    class: 'user',
    message: 'The results of device coin contradict the job: success is false',
    error_code: 'invalid_results',
  })
})
