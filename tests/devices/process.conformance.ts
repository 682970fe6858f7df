import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { JobError, type JobIo, jobFailureOf, type ProcessDevice } from '../../src/devices/index.ts'
import {
  type CircuitEntry,
  deviceDescription,
  type JobPayload,
  type JobResults,
} from '../../src/protocol/index.ts'
import { ioOf, openProcess, payloadOf, runJob } from './support/jobs.ts'
import { unmeasuredConformance } from './unmeasured.conformance.ts'

const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
const BELL_2 =
  'OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[2]; h q[0]; cx q[0],q[1]; measure q[0]->c[0]; measure q[1]->c[1];'
const PARAMETERS =
  'OPENQASM 3.0; include "stdgates.inc"; input float theta; input float phi; qubit[2] q; bit[2] c; ry(theta) q[0]; ry(phi) q[1]; c = measure q;'

interface Refusal {
  name: string
  payload: JobPayload
  message: RegExp
  circuitIndex?: number
}

const entry = (circuit: string, parameter_values?: number[][], shots?: number): CircuitEntry => ({
  circuit,
  ...(parameter_values && { parameter_values }),
  ...(shots !== undefined && { shots }),
})

const REFUSALS: Refusal[] = [
  {
    name: 'a program that does not parse, with its position',
    payload: payloadOf(['OPENQASM 3.0;\nqubit q;\nh q q;']),
    message: /^circuit 0, line 3, column \d+: /,
    circuitIndex: 0,
  },
  {
    name: 'an unknown gate',
    payload: payloadOf(['OPENQASM 3.0;\nqubit q;\nfoo q;']),
    message: /^circuit 0, line 3, column 1: .*foo/,
    circuitIndex: 0,
  },
  {
    name: 'a bad circuit among good ones, naming it',
    payload: payloadOf([BELL, BELL, 'OPENQASM 3.0; include "stdgates.inc"; qubit q; h r;']),
    message: /^circuit 2, line 1, column \d+: .*r/,
    circuitIndex: 2,
  },
  {
    name: 'version 3 words in a version 2 program',
    payload: payloadOf(['OPENQASM 2.0;\nqubit[2] q;']),
    message: /^circuit 0, line 2, column \d+: /,
    circuitIndex: 0,
  },
  {
    name: 'too few parameters',
    payload: payloadOf([BELL, entry(PARAMETERS, [[0, 0], [1]])]),
    message: /^circuit 1 takes 2 parameters, set 1 has 1$/,
    circuitIndex: 1,
  },
  {
    name: 'too many parameters',
    payload: payloadOf([entry(PARAMETERS, [[0, 0, 0]])]),
    message: /^circuit 0 takes 2 parameters, set 0 has 3$/,
    circuitIndex: 0,
  },
  {
    name: 'missing parameters',
    payload: payloadOf([PARAMETERS]),
    message: /^circuit 0 takes 2 parameters \(theta, phi\), parameter_values has none$/,
    circuitIndex: 0,
  },
  {
    name: 'more than one set for a circuit without parameters',
    payload: payloadOf([entry(BELL, [[1], [2]])]),
    message: /^circuit 0 takes 0 parameters, set 0 has 1$/,
    circuitIndex: 0,
  },
  {
    name: 'raw traces, which it does not have',
    payload: payloadOf([BELL], { meas_level: 0 }),
    message: /^raw traces \(meas_level 0\) are not available from /,
  },
  {
    name: 'more circuits and parameter sets than a job may have',
    payload: payloadOf([BELL, entry(PARAMETERS, new Array<number[]>(300).fill([0, 0]))]),
    message: /^the job has 301 circuits counting each parameter set; at most 300 are allowed$/,
  },
  {
    name: 'more qubits than it has',
    payload: payloadOf([
      'OPENQASM 3.0; include "stdgates.inc"; qubit[1100] q; bit[1100] c; h q; t q; h q; c = measure q;',
    ]),
    message: /1100 qubits/,
    circuitIndex: 0,
  },
]

const total = (counts: Record<string, number> = {}) => Object.values(counts).reduce((sum, n) => sum + n, 0)

/** Requirements for every process device, whatever its backend. */
export function processConformance(name: string, pairs: string[] = [], hasTraces = false): void {
  const rule = (behavior: string) => `${name} ${behavior}`
  const open = () => openProcess(name, pairs)

  test(rule('describes itself in the form that the server accepts'), async () => {
    const description = v.parse(deviceDescription, await (await open()).describe?.())
    expect(
      description.num_qubits ?? description.qubits?.length ?? description.limits?.qubits,
    ).toBeGreaterThan(0)
  })

  test(rule('accepts the options of the operation'), async () => {
    const more = ['is_dummy=true', 'job_timeout=3', 'scheduler_device_config=/tmp/a.yml']
    expect(await openProcess(name, [...more, ...pairs])).toBeObject()
  })

  test(rule('refuses an option it does not read'), async () => {
    await expect(openProcess(name, [...pairs, 'color=blue'])).rejects.toThrow(
      `unknown option color for process device ${name}`,
    )
  })

  const refusals = REFUSALS.filter(({ payload }) => !hasTraces || payload.meas_level > 0)
  for (const { name: what, payload, message, circuitIndex } of refusals) {
    test(rule(`refuses ${what}`), async () => {
      const device = await open()
      const error = await device
        .run({ id: 'a', attempt: 1, payload }, ioOf())
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(JobError)
      const { failure, executed } = jobFailureOf(error)
      expect(failure.message).toMatch(message)
      expect(failure.class).toBe('user')
      expect(failure.error_code).toMatch(/^[a-z][a-z_]+$/)
      expect(failure.circuit_index).toBe(circuitIndex)
      // An error found in the first circuit is free of charge.
      if (circuitIndex === 0) expect(executed).toBe(false)
    })
  }
}

/** The requirements on a device that really runs circuits. */
export function runningConformance(name: string, pairs: string[] = []): void {
  const rule = (behavior: string) => `${name} ${behavior}`
  let opened: ProcessDevice | undefined
  async function run(payload: JobPayload, id?: string): Promise<JobResults> {
    opened ??= await openProcess(name, pairs)
    return runJob(opened, payload, id)
  }
  async function countsOf(circuit: string, shots = 100): Promise<Record<string, number> | undefined> {
    return (await run(payloadOf([circuit], { shots }))).counts
  }

  test(rule('reports the result of each circuit before the job ends'), async () => {
    const device = await openProcess(name, pairs)
    const reported = new Map<number, unknown>()
    const io: JobIo = { ...ioOf(), result: (index, { counts }) => reported.set(index, counts) }
    const payload = payloadOf([
      BELL,
      entry(PARAMETERS, [
        [0, 0],
        [1, 2],
      ]),
      BELL,
      BELL,
    ])
    const { circuit_results } = await device.run({ id: 'job000000000001', attempt: 1, payload }, io)
    expect([0, 1, 2, 3, 4].map((index) => reported.get(index))).toEqual(
      circuit_results.map(({ counts }) => counts),
    )
  })

  for (const [version, circuit] of [
    ['2', BELL_2],
    ['3', BELL],
  ] as const) {
    test(rule(`runs a Bell pair in OpenQASM ${version}`), async () => {
      const { counts = {}, success, backend, shots } = await run(payloadOf([circuit], { shots: 4_000 }))
      expect([success, backend, shots]).toEqual([true, name, 4_000])
      expect(Object.keys(counts).sort()).toEqual(['00', '11'])
      expect(Math.abs((counts['00'] ?? 0) - 2_000)).toBeLessThan(200)
    })
  }

  test(
    rule('returns a list of results, also for one circuit, and repeats the first at the top'),
    async () => {
      const results = await run(payloadOf([BELL]))
      expect(results.circuit_results.length).toBe(1)
      expect(results.counts).toEqual(results.circuit_results[0]?.counts ?? {})
      expect(JSON.stringify(results)).not.toContain('hex_counts')
      expect(results.metadata).toMatchObject({ device: name, backend_kind: expect.any(String) })
    },
  )

  test(rule('runs every circuit and parameter set in order, each with its own shots and width'), async () => {
    const wide = 'OPENQASM 3.0; include "stdgates.inc"; qubit[5] q; bit[5] c; x q[3]; c = measure q;'
    const sets = [
      [0, 0],
      [Math.PI, 0],
      [0, Math.PI],
    ]
    const results = await run(
      payloadOf([entry(wide, undefined, 10), entry(PARAMETERS, sets, 20), entry(BELL_2)], { shots: 30 }),
    )
    expect(results.circuit_results.map(({ counts, shots }) => [counts, shots]).slice(0, 4)).toEqual([
      [{ '01000': 10 }, 10],
      [{ '00': 20 }, 20],
      [{ '01': 20 }, 20],
      [{ '10': 20 }, 20],
    ])
    const last = results.circuit_results[4]
    expect([last?.shots, total(last?.counts), last?.header.name]).toEqual([30, 30, 'circuit_2'])
    expect(results.circuit_results.map(({ metadata }) => metadata['parameter_set'])).toEqual([0, 0, 1, 2, 0])
    expect([results.shots, results.counts]).toEqual([10, { '01000': 10 }])
  })

  test(rule('binds parameters in the order they are declared, not by name'), async () => {
    const circuit =
      'OPENQASM 3.0; include "stdgates.inc"; input float _b_10_; input float _a_2_; qubit[2] q; bit[2] c; ry(_a_2_) q[0]; ry(_b_10_) q[1]; c = measure q;'
    const { counts } = await run(payloadOf([entry(circuit, [[Math.PI, 0]])], { shots: 50 }))
    expect(counts).toEqual({ '10': 50 })
  })

  test(rule('ignores a single parameter set of a circuit without parameters'), async () => {
    const { circuit_results } = await run(payloadOf([entry(BELL, [[0.1, 0.2]])]))
    expect(circuit_results.length).toBe(1)
  })

  test(rule('describes the registers of each circuit'), async () => {
    const circuit =
      'OPENQASM 2.0; include "qelib1.inc"; qreg a[2]; qreg b[3]; creg low[1]; creg high[2]; measure a[0]->low[0];'
    const [result] = (await run(payloadOf([circuit]))).circuit_results
    expect(result?.header).toMatchObject({
      n_qubits: 5,
      memory_slots: 3,
      qreg_sizes: [
        ['a', 2],
        ['b', 3],
      ],
      creg_sizes: [
        ['low', 1],
        ['high', 2],
      ],
    })
  })

  test(
    rule('keys counts by classical bit: bit 0 and the first register rightmost, no spaces, full width'),
    async () => {
      const circuit =
        'OPENQASM 2.0; include "qelib1.inc"; qreg q[4]; creg low[2]; creg high[3]; x q[0]; x q[3]; measure q[0]->high[2]; measure q[3]->low[0]; measure q[1]->low[1];'
      expect(await countsOf(circuit)).toEqual({ '10001': 100 })
    },
  )

  test(
    rule('uses the last of several measurements into one bit, and measures one qubit into several'),
    async () => {
      const circuit =
        'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[3] c; x q[0]; c[0] = measure q[0]; c[0] = measure q[1]; c[1] = measure q[0]; c[2] = measure q[0];'
      expect(await countsOf(circuit)).toEqual({ '110': 100 })
    },
  )

  test(rule('keeps earlier outcomes of a qubit that is measured again later'), async () => {
    const circuit =
      'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit[3] c; c[0] = measure q; x q; c[1] = measure q; reset q; c[2] = measure q;'
    expect(await countsOf(circuit)).toEqual({ '010': 100 })
  })

  test(rule('returns only outcomes that occurred, also with many bits'), async () => {
    const circuit =
      'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[60] c; x q[1]; c[0] = measure q[0]; c[59] = measure q[1];'
    expect(await countsOf(circuit)).toEqual({ [`1${'0'.repeat(59)}`]: 100 })
  })

  unmeasuredConformance(name, run)

  test(rule('returns the outcome of each shot as hexadecimal numbers when memory is requested'), async () => {
    const [result] = (await run(payloadOf([BELL], { memory: true, shots: 200 }))).circuit_results
    const memory = result?.memory as string[]
    expect(memory.length).toBe(200)
    expect(new Set(memory)).toEqual(new Set(['0x0', '0x3']))
    expect(memory.filter((shot) => shot === '0x3').length).toBe(result?.counts?.['11'] ?? -1)
    const [without] = (await run(payloadOf([BELL]))).circuit_results
    expect(without).not.toHaveProperty('memory')
  })

  test(
    rule('returns the same outcomes packed into one text, in the layout of BitArray in Qiskit'),
    async () => {
      const program = (bits: number) =>
        `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[${bits}] c; h q; c[0] = measure q[0]; c[${bits >> 1}] = measure q[1]; c[${bits - 1}] = measure q[2];`
      for (const bits of [3, 8, 9, 40]) {
        const more = { memory: true, shots: 300, seed: bits } as const
        const [hex] = (await run(payloadOf([program(bits)], more))).circuit_results
        const [packed] = (await run(payloadOf([program(bits)], { ...more, memory_format: 'packed' })))
          .circuit_results
        const bytes = Buffer.from(String(packed?.memory), 'base64')
        const width = Math.ceil(bits / 8)
        expect(bytes.length).toBe(300 * width)
        const shots = Array.from({ length: 300 }, (_, shot) => {
          const row = bytes.subarray(shot * width, (shot + 1) * width)
          return `0x${BigInt(`0x${row.toString('hex')}`).toString(16)}`
        })
        expect(shots).toEqual(hex?.memory as string[])
        expect(packed?.counts).toEqual(hex?.counts ?? {})
      }
    },
  )

  test(rule('returns a point per shot and classical bit at level 1, and their mean for avg'), async () => {
    const circuit =
      'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[3] c; x q[1]; c[0] = measure q[0]; c[2] = measure q[1];'
    const more = { meas_level: 1, shots: 50 } as const
    const [single] = (await run(payloadOf([circuit], more))).circuit_results
    const points = single?.memory as number[][][]
    expect([points.length, points[0]?.length, points[0]?.[0]?.length]).toEqual([50, 3, 2])
    expect(points.every((shot) => shot[1]?.join() === '0,0')).toBe(true)
    expect(single?.metadata).toMatchObject({ meas_level: 1, meas_return: 'single', unmeasured_slots: [1] })
    expect(single).not.toHaveProperty('counts')
    const [mean] = (await run(payloadOf([circuit], { ...more, meas_return: 'avg' }))).circuit_results
    const slots = mean?.memory as number[][]
    expect(slots.length).toBe(3)
    // The clouds of 0 and 1 are 1.1 apart and 0.05 wide.
    expect((slots[2]?.[0] ?? 0) - (slots[0]?.[0] ?? 0)).toBeGreaterThan(0.5)
  })

  test(rule('is reproducible for the same seed and reports the seed'), async () => {
    const payload = payloadOf([BELL, BELL], { seed: 2 ** 45 + 3, memory: true })
    const first = await run(payload, 'a')
    const again = await run(payload, 'b')
    const outcomes = ({ circuit_results }: JobResults) => circuit_results.map(({ memory }) => memory)
    expect(outcomes(again)).toEqual(outcomes(first))
    expect(outcomes(first)[0]).not.toEqual(outcomes(first)[1] as string[])
    expect(first.circuit_results[0]?.metadata['seed']).toBe(2 ** 45 + 3)
    const unseeded = await run(payloadOf([BELL], { memory: true }))
    const { seed } = unseeded.circuit_results[0]?.metadata ?? {}
    const repeated = await run(payloadOf([BELL], { memory: true, seed: Number(seed) }))
    expect(outcomes(repeated)).toEqual(outcomes(unseeded))
  })

  test(rule('stops when the job is cancelled'), async () => {
    const device = await openProcess(name, pairs)
    const body = Array.from({ length: 60_000 }, (_, i) => `cry(0.1) q[${i % 16}], q[${(i + 1) % 16}];`).join(
      '',
    )
    const chain = Array.from({ length: 15 }, (_, i) => `cx q[${i}], q[${i + 1}];`).join('')
    const circuit = `OPENQASM 3.0; include "stdgates.inc"; qubit[16] q; bit[16] c; ${body} ${chain} c = measure q;`
    const abort = new AbortController()
    const running = device.run(
      { id: 'a', attempt: 1, payload: payloadOf([circuit]) },
      ioOf(60_000, abort.signal),
    )
    setTimeout(() => abort.abort(new Error('cancelled')), 20)
    await expect(running).rejects.toThrow('cancelled')
  })

  test(rule('follows measured outcomes: conditions, loops and OpenQASM 2 registers'), async () => {
    const teleport =
      'OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit a; bit b; bit out; x q[0]; h q[1]; cx q[1], q[2]; cx q[0], q[1]; h q[0]; a = measure q[0]; b = measure q[1]; if (b) x q[2]; if (a) z q[2]; out = measure q[2];'
    const counts = (await countsOf(teleport, 400)) ?? {}
    expect(Object.keys(counts).every((key) => key[0] === '1')).toBe(true)
    expect(Object.keys(counts).length).toBe(4)
    const version2 =
      'OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[2]; creg d[1]; x q[0]; x q[1]; measure q[0]->c[0]; if (c==1) x q[1]; if (c==3) x q[0]; measure q[1]->d[0];'
    expect(await countsOf(version2)).toEqual({ '001': 100 })
    const untilOne =
      'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; while (c == 0) { h q; c = measure q; }'
    expect(await countsOf(untilOne)).toEqual({ '1': 100 })
  })
}
