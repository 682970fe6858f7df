import { expect, test } from 'bun:test'
import {
  checkResults,
  circuitResultOf,
  JobError,
  jobFailureOf,
  jobResultsOf,
} from '../../src/devices/index.ts'

const circuit = {
  qubits: 2,
  clbits: 2,
  qregs: [['q', 2]] as [string, number][],
  cregs: [['c', 2]] as [string, number][],
}
const one = circuitResultOf({ circuitIndex: 0, circuit, shots: 3, counts: { '00': 3 }, metadata: {} })

test('jobResultsOf() repeats the first circuit at the top', () => {
  const second = circuitResultOf({ circuitIndex: 1, circuit, shots: 5, counts: { '11': 5 }, metadata: {} })
  expect(jobResultsOf('x', [one, second], { a: 1 })).toEqual({
    success: true,
    backend: 'x',
    shots: 3,
    counts: { '00': 3 },
    circuit_results: [one, second],
    metadata: { a: 1 },
  })
  expect(() => jobResultsOf('x', [], {})).toThrow(TypeError)
})

test('checkResults() returns valid results', () => {
  const results = jobResultsOf('x', [one], {})
  expect(checkResults(results)).toEqual(results)
})

for (const [name, value, where] of [
  ['NaN', Number.NaN, 'metadata.deep.1'],
  ['infinity', Number.NEGATIVE_INFINITY, 'metadata.deep.1'],
  ['a big integer', 3n, 'metadata.deep.1'],
] as const) {
  test(`checkResults() refuses ${name}, with its position`, () => {
    const results = { ...jobResultsOf('x', [one], {}), metadata: { deep: [0, value] } }
    expect(() => checkResults(results)).toThrow(`not a finite number at ${where}`)
  })
}

test('checkResults() refuses malformed results, as a fault of the device', () => {
  for (const results of [undefined, null, 'done', {}, { success: true }]) {
    const error = (() => {
      try {
        checkResults(results)
      } catch (thrown) {
        return thrown
      }
      return undefined
    })()
    expect(error).toBeInstanceOf(JobError)
    expect(error).toMatchObject({ class: 'device', errorCode: 'invalid_results', executed: true })
  }
})

test('checkResults() refuses results that are too large, naming what the user can reduce', () => {
  const results = { ...jobResultsOf('x', [one], {}), metadata: { text: 'x'.repeat(9 * 1024 * 1024) } }
  expect(() => checkResults(results)).toThrow(/larger than 8 MiB; ask for fewer shots/)
})

test('jobFailureOf() reports a job error unchanged and hides any other', () => {
  const error = new JobError('too wide', { errorCode: 'too_many_qubits', circuitIndex: 2 })
  expect(jobFailureOf(error)).toEqual({
    failure: { class: 'user', message: 'too wide', error_code: 'too_many_qubits', circuit_index: 2 },
    executed: false,
  })
  expect(jobFailureOf(new TypeError('cannot read /home/lab/key'))).toEqual({
    failure: { class: 'device', message: 'TypeError: job execution failed, see the driver log' },
    executed: true,
  })
  expect(jobFailureOf('text').failure.message).toBe('Error: job execution failed, see the driver log')
  expect(jobFailureOf(new JobError('x'.repeat(9_000))).failure.message.length).toBe(4_000)
})
