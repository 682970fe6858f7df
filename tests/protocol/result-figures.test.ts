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

test('results of exact values have as many means as asked for, or probabilities that add up to 1', () => {
  const circuit = 'OPENQASM 3.0;'
  const payload: JobPayload = {
    circuits: [
      { circuit, expectation_values: [{ Z: 1 }, { X: 1 }] },
      { circuit, parameter_values: [[1], [2]] },
    ],
    ...{ shots: 1_024, meas_level: 2, meas_return: 'single', memory: false, exact: true },
  }
  const expected = expectedResultsOf(payload, [0, 2])
  expect(expected).toMatchObject({
    exact: [2, 0, 0],
    results: [
      [1, 0, 0],
      [2, 0, 2],
    ],
  })
  const header = { name: 'c', n_qubits: 1, memory_slots: 2, creg_sizes: [], qreg_sizes: [], metadata: {} }
  const problemOf = (means: unknown, probabilities: unknown, shots = 0) => {
    const all = [{ expectation_values: means }, { probabilities }, { probabilities: { '01': 1 } }]
    const circuit_results = all.map((each) => ({ ...each, shots, header, metadata: {} }))
    const results = { success: true, backend: 'b', shots, circuit_results, metadata: {} }
    return contradictionOf(figuresOf(results as unknown as JobResults), expected)
  }
  expect(problemOf([0.5, -1], { '00': 0.25, '11': 0.75 })).toBeUndefined()
  const first = 'circuit_results.0.'
  expect(problemOf([0.5], { '00': 1 })).toBe(`${first}expectation_values: 1 value, the job asks for 2`)
  expect(problemOf(undefined, { '00': 1 })).toBe(`${first}expectation_values: missing, the job asks for 2`)
  expect(problemOf([1, 1], { '00': 1 }, 9)).toBe(`${first}shots is 9, the job asks for 0`)
  const second = 'circuit_results.1.'
  expect(problemOf([1, 1], undefined)).toBe(`${second}probabilities are missing, which the job asks for`)
  expect(problemOf([1, 1], { '00': 0.9 })).toBe(`${second}probabilities add up to 0.9`)
  expect(problemOf([1, 1], { '00': 0.5, 1: 0.5 })).toBe(
    `${second}probabilities has an outcome of 1 bit, the program has 2`,
  )
})
