import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { JOB_LIMITS, type JobPayload, memoryLength } from '../../../../src/protocol/index.ts'
import { checkPrograms } from '../../../../src/server/jobs/submission/check-programs.ts'
import { createRng, EXACT_READOUT, ResultBudget, Tally } from '../../../../src/simulator/index.ts'

const circuitOf = (bits: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit q; bit[${bits}] c; h q; c[0] = measure q;`

function payloadOf(bits: number, more: Partial<JobPayload>): JobPayload {
  const circuits = [{ circuit: circuitOf(bits) }]
  return { circuits, shots: 10_000, meas_level: 2, meas_return: 'single', memory: false, ...more }
}

test('a memory that is certainly too long is refused with what fits: surface code, distance 11', () => {
  const bits = 1_441
  const hex = checkPrograms(payloadOf(bits, { shots: 25_000, memory: true })).problems
  expect(hex).toMatchObject([{ path: 'memory', code: 'results_too_large' }])
  expect(hex[0]?.message).toContain('ask for memory_format packed (')
  expect(
    checkPrograms(payloadOf(bits, { shots: 25_000, memory: true, memory_format: 'packed' })).problems,
  ).toEqual([])
  expect(checkPrograms(payloadOf(bits, { shots: 25_000 })).problems).toEqual([])
  const packed = payloadOf(bits, { shots: 1_000_000, memory: true, memory_format: 'packed' })
  expect(checkPrograms(packed).problems[0]?.message).toContain('ask for fewer shots or circuits, or split')
})

test('counts that pass the limit if their outcomes differ are a warning', () => {
  const warnings = (bits: number, more: Partial<JobPayload>) => checkPrograms(payloadOf(bits, more)).warnings
  expect(warnings(40, { shots: 200_000 })).toMatchObject([{ path: 'shots', code: 'results_too_large' }])
  expect(warnings(10, { shots: 1_000_000 })).toEqual([])
  expect(warnings(40, { shots: 50_000 })).toEqual([])
  expect(warnings(40, { shots: 200_000, memory: true, memory_format: 'packed' })).toEqual([])
})

test('points are refused with meas_return avg as the remedy', () => {
  const [problem] = checkPrograms(payloadOf(16, { shots: 1_000_000, meas_level: 1 })).problems
  expect(problem).toMatchObject({ path: 'meas_return', code: 'results_too_large' })
  expect(problem?.message).toContain('ask for meas_return avg (')
  expect(
    checkPrograms(payloadOf(16, { shots: 1_000_000, meas_level: 1, meas_return: 'avg' })).problems,
  ).toEqual([])
})

test('all circuits and parameter sets count, each with its shots', () => {
  const input =
    'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit q; bit[16] c; rx(a) q; c[0] = measure q;'
  const ofSets = (sets: number) =>
    payloadOf(1, {
      memory: true,
      circuits: [
        { circuit: input, shots: 100_000, parameter_values: Array.from({ length: sets }, () => [0.1]) },
        { circuit: circuitOf(16), shots: 1 },
      ],
    })
  // 900,000 characters each.
  expect(checkPrograms(ofSets(9)).problems).toEqual([])
  expect(checkPrograms(ofSets(10)).problems).toMatchObject([{ code: 'results_too_large' }])
})

test('the limit is exact, and an invalid program is reported alone', () => {
  // 5 + 3 characters a shot: 1,048,576 shots fit, so that 9 bits need one circuit more.
  const job = (shots: number) =>
    payloadOf(12, {
      memory: true,
      circuits: [
        { circuit: circuitOf(12), shots },
        { circuit: circuitOf(12), shots: 48_576 },
      ],
    })
  expect(memoryLength(job(1_000_000), 12, 1_048_576)).toBe(JOB_LIMITS.resultBytes)
  expect(checkPrograms(job(1_000_000)).problems).toEqual([])
  const above = {
    ...job(1_000_000),
    circuits: [...job(1_000_000).circuits, { circuit: circuitOf(12), shots: 1 }],
  }
  expect(checkPrograms(above).problems).toMatchObject([{ path: 'memory' }])
  const broken = { ...above, circuits: [...above.circuits, { circuit: 'OPENQASM 3.0; x;' }] }
  expect(checkPrograms(broken).problems.map(({ path }) => path)).toEqual(['circuits.3.circuit'])
})

test('the simulator takes for bits what the server expects', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      (clbits, shots, isPacked) => {
        const resultBudget = new ResultBudget(2 ** 25)
        const memory = isPacked ? 'packed_bits' : 'bits'
        new Tally({
          ...{ clbits, shots, measured: [], terminal: [], rng: createRng(0), stream: 0, resultBudget },
          readout: { readoutErrorOf: () => EXACT_READOUT, memory },
        })
        const asked = { memory: true, ...(isPacked && { memory_format: 'packed' as const }) }
        expect(resultBudget.taken.others).toBe(memoryLength(payloadOf(clbits, asked), clbits, shots))
      },
    ),
  )
})
