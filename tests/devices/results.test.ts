import { expect, test } from 'bun:test'
import {
  checkResults,
  circuitResultOf,
  JobError,
  jobFailureOf,
  jobResultsOf,
} from '../../src/devices/index.ts'
import { expectedResultsOf, type JobPayload } from '../../src/protocol/index.ts'

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

test('checkResults() refuses malformed results, for good and free of charge', () => {
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
    expect(error).toMatchObject({ class: 'user', errorCode: 'invalid_results', executed: false })
  }
})

test('checkResults() refuses results that contradict the job, naming the device and the figures', () => {
  const payload: JobPayload = {
    circuits: [{ circuit: 'OPENQASM 3.0; qubit[2] q; bit[2] c; c = measure q;' }],
    ...{ shots: 3, meas_level: 2, meas_return: 'single', memory: false },
  }
  const results = jobResultsOf('x', [one], {})
  expect(checkResults(results, { device: 'coin', payload })).toEqual(results)
  const expected = expectedResultsOf(payload, [4])
  expect(() => checkResults(results, { device: 'coin', payload, expected })).toThrow(
    'The results of device coin contradict the job: circuit_results.0.counts has an outcome of 2 bits, the program has 4',
  )
  const few = circuitResultOf({ circuitIndex: 0, circuit, shots: 3, counts: { '00': 2 }, metadata: {} })
  expect(() => checkResults(jobResultsOf('x', [few], {}), { device: 'coin', payload })).toThrow(
    'The results of device coin contradict the job: circuit_results.0.counts add up to 2 of 3 shots',
  )
  const stated = circuitResultOf({
    ...{ circuitIndex: 0, circuit, shots: 3, counts: { '00': 2 }, discardedShots: 1, metadata: {} },
  })
  expect(checkResults(jobResultsOf('x', [stated], {}), { device: 'coin', payload }).circuit_results).toEqual([
    expect.objectContaining({ discarded_shots: 1 }),
  ])
})

test('checkResults() refuses results that are too large, naming what the user can reduce', () => {
  const results = { ...jobResultsOf('x', [one], {}), metadata: { text: 'x'.repeat(9 * 1024 * 1024) } }
  expect(() => checkResults(results)).toThrow(/larger than 8 MiB. Ask for memory with memory_format packed/)
})

/** Two results of 3,000 shots, each of another outcome of 1,600 bits: 14 MB of counts, 2 MB packed. */
function wideResults(counted: number) {
  const wide = { ...circuit, clbits: 1_600 }
  const outcomes = Array.from({ length: 3_000 }, (_, shot) => shot.toString(2).padStart(1_600, '0'))
  const packed = Buffer.concat(
    Array.from({ length: 3_000 }, (_, shot) => {
      const row = Buffer.alloc(200)
      row.writeUInt32BE(shot, 196)
      return row
    }),
  )
  const counts = Object.fromEntries(outcomes.slice(0, counted).map((each) => [each, 1]))
  const memory = packed.toString('base64')
  const results = [0, 1].map((circuitIndex) =>
    circuitResultOf({ circuitIndex, circuit: wide, shots: 3_000, counts, memory, metadata: {} }),
  )
  const payload: JobPayload = {
    circuits: [{ circuit: '' }, { circuit: '' }],
    ...{ shots: 3_000, meas_level: 2, meas_return: 'single', memory: true, memory_format: 'packed' },
  }
  return { results: jobResultsOf('x', results, {}), payload }
}

test('checkResults() omits counts that do not fit beside packed memory, of all circuits', () => {
  const { results, payload } = wideResults(3_000)
  const checked = checkResults(results, { device: 'coin', payload })
  const omitted = { counts_omitted: true, memory: results.circuit_results[0]?.memory }
  expect(checked.circuit_results).toEqual([
    expect.objectContaining(omitted),
    expect.objectContaining(omitted),
  ])
  expect(checked.circuit_results.map((each) => 'counts' in each)).toEqual([false, false])
  expect('counts' in checked).toBe(false)
  // What it omits has to be right.
  const few = wideResults(2_999)
  expect(() => checkResults(few.results, { device: 'coin', payload })).toThrow(
    'counts add up to 2999 of 3000',
  )
})

test('jobResultsOf() omits the counts of all results if one omits them', () => {
  const without = circuitResultOf({
    circuitIndex: 1,
    circuit,
    shots: 1,
    memory: 'AA==',
    countsOmitted: true,
    metadata: {},
  })
  const results = jobResultsOf('x', [one, without], {})
  expect(results.counts).toBeUndefined()
  expect(results.circuit_results.map(({ counts, counts_omitted }) => [counts, counts_omitted])).toEqual([
    [undefined, true],
    [undefined, true],
  ])
})

test('checkResults() calls the checkpoint in proportion to the length of the results', () => {
  const callsOf = (shots: number) => {
    const memory = new Array<string>(shots).fill('0x0')
    const each = circuitResultOf({
      circuitIndex: 0,
      circuit,
      shots,
      counts: { '00': shots },
      memory,
      metadata: {},
    })
    const payload: JobPayload = {
      circuits: [{ circuit: '' }],
      ...{ shots, meas_level: 2, meas_return: 'single', memory: true },
    }
    let calls = 0
    checkResults(jobResultsOf('x', [each], {}), { device: 'coin', payload }, () => {
      calls += 1
    })
    return calls
  }
  const [few, many] = [callsOf(50_000), callsOf(500_000)]
  expect(few).toBeGreaterThan(2 * (50_000 / 5_000))
  expect(many / few).toBeLessThan(11)
})

test('jobFailureOf() reports a job error unchanged and hides any other', () => {
  const error = new JobError('too wide', { errorCode: 'too_many_qubits', circuitIndex: 2 })
  expect(jobFailureOf(error)).toEqual({
    failure: { class: 'user', message: 'too wide', error_code: 'too_many_qubits', circuit_index: 2 },
    executed: false,
  })
  expect(jobFailureOf(new TypeError('cannot read /home/lab/key'))).toEqual({
    failure: {
      class: 'user',
      message: 'TypeError: job execution failed, see the driver log',
      error_code: 'device_error',
      detail: 'TypeError: cannot read /home/lab/key',
    },
    executed: false,
  })
  expect(jobFailureOf('text').failure.message).toBe('Error: job execution failed, see the driver log')
  expect(jobFailureOf(new JobError('x'.repeat(9_000))).failure.message.length).toBe(4_000)
})
