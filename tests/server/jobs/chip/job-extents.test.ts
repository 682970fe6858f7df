import { describe, expect, test } from 'bun:test'
import { compileCircuit } from '../../../../src/devices/compiler/compile.ts'
import type { DeviceDescription } from '../../../../src/protocol/index.ts'
import { extentsOf, lowerProgram, parseProgram } from '../../../../src/qasm/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { readDts } from '../../../../src/server/jobs/chip/dt-of-qpus.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { checkPrograms } from '../../../../src/server/jobs/submission/check-programs.ts'
import { viewJob } from '../../../../src/server/jobs/view.ts'
import { storeDescription } from '../../../../src/server/qpus/describe.ts'
import { drawnSeeds } from '../../../support/random/drawn-seeds.ts'
import { FIVE_QUBITS } from '../../../support/scheduler/five-qubits.ts'
import { randomText } from '../../../support/scheduler/random-text.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { dryRunBody, submitBody } from '../submission/submit-body.ts'

const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'

describe('extentsOf()', () => {
  test.each([0, 1] as const)('is at most what is played at level %d, for any program', (level) => {
    for (const seed of drawnSeeds(30)) {
      const more = ['', 'measure q[0];', 'for int i in [1:3] { delay[50ns] q[0]; c[0] = measure q[0]; }']
      const text = `${randomText(seed)}\n${more[seed % 3]}\ndelay[${seed % 7}00ns] q;`
      const program = parseProgram(text)
      const { seconds, acquisitions, gates } = extentsOf(program, [])
      const options = { repeatsPowers: true }
      const circuit = lowerProgram(program, [], options)
      const { schedule } = compileCircuit('d', circuit, FIVE_QUBITS.chip, 'measure', { level })
      expect([text, seconds.amount <= schedule.duration * 1e-9 + 1e-12]).toEqual([text, true])
      expect([text, acquisitions.amount]).toEqual([text, schedule.acquisitions.length])
      if (level === 0) expect(gates.amount + acquisitions.amount).toBeLessThanOrEqual(schedule.pulses.length)
    }
  })

  test('counts up to what outcomes decide, and a last measurement only with a bit', () => {
    const extents = (text: string) => extentsOf(parseProgram(`${HEAD}qubit[2] q; bit[2] c;\n${text}`), [])
    const loop =
      'for int i in [1:5] {\n c[0] = measure q[0];\n delay[1ms] q[0];\n}\nbarrier q;\ndelay[2ms] q[1];'
    const { seconds, ...counted } = extents(loop)
    expect(counted).toEqual({ acquisitions: { amount: 5, line: 5 }, gates: { amount: 0, line: 0 } })
    expect(seconds.line).toBe(9)
    expect(seconds.amount).toBeCloseTo(7e-3, 8)
    expect(extents('measure q[0];').acquisitions.amount).toBe(0)
    expect(extents('measure q[0];\nx q[0];').acquisitions).toEqual({ amount: 1, line: 4 })
    const decided = 'c[0] = measure q[0]; x q[0];\nwhile (c[0]) { c[0] = measure q[0]; }\ndelay[9s] q;'
    expect(extents(decided)).toMatchObject({ acquisitions: { amount: 1 }, seconds: { amount: 0 } })
  })
})

const LIMITS = {
  ...{ schedule_s: 0.1, acquisitions: 10, pulses: 50, branches: 2, result_bytes: 100_000 },
  ...{ job_timeout_s: 10, shot_s: 200e-6 },
}

async function openQpu(limits: DeviceDescription['limits'] = LIMITS) {
  const lab = await JobLab.open()
  const qpu = await lab.qpu({ numQubits: 2 })
  const target = await lab.attach(qpu.driver)
  const describeWith = (each: DeviceDescription['limits']) =>
    storeDescription(lab.db, target, { schema: 1, limits: each })
  await describeWith(limits)
  const caller = lab.caller(await lab.user())
  return { lab, caller, qpu, target, describeWith, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

const waits = (length: string, setting = '') =>
  `${HEAD}qubit q; bit c;${setting}\nx q;\ndelay[${length}] q;\nc = measure q;`
const reads = (count: number, more = '') =>
  `${HEAD}qubit q; bit[${count}] c;\nfor int i in [0:${count - 1}] {\n c[i] = measure q;${more}\n}`
const ofSets = (...values: number[]) => ({
  circuit: waits('length * 1ms', ' input float length;'),
  parameter_values: values.map((value) => [value]),
})

test.each<[string, object, [string, string, number | undefined, string] | undefined]>([
  ['a wait', { circuits: [waits('100ms')] }, ['circuits.0.circuit', 'schedule_too_long', 5, 'at most 0.1 s']],
  ['a shorter wait', { circuits: [waits('99ms')], shots: 10 }, undefined],
  [
    'a constant negative wait',
    { circuits: [waits('d', ' duration d = 10ns - 30ns;')] },
    ['circuits.0.circuit', 'invalid_value', 5, 'must not be negative: -2e-8 s'],
  ],
  [
    'a wait of one parameter set',
    { circuits: [ofSets(1, 150)], shots: 1 },
    ['circuits.0.circuit', 'schedule_too_long', 5, 'takes at least 0.150000001 s (line 5)'],
  ],
  [
    'a negative wait of one parameter set',
    { circuits: [ofSets(1, -1)] },
    ['circuits.0.circuit', 'invalid_value', 5, '(parameter set 1)'],
  ],
  [
    'measurements',
    { circuits: [reads(11)] },
    ['circuits.0.circuit', 'too_many_acquisitions', 5, 'at most 10'],
  ],
  ['as many as allowed', { circuits: [reads(10)] }, undefined],
  [
    'measurements of a loop that is longer than the check executes',
    { circuits: [`${HEAD}qubit q; bit c;\nfor int i in [1:900000] {\n c = measure q;\n}`] },
    ['circuits.0.circuit', 'too_many_acquisitions', 5, 'measures in a shot '],
  ],
  [
    'measurements without a loop',
    { circuits: [`${HEAD}qubit[12] q; bit[12] c;\nc = measure q;`] },
    // Its qubits are too many as well.
    ['circuits.0.circuit', 'too_many_acquisitions', 4, 'measures in a shot 12 (line 4)'],
  ],
  [
    'pulses as written',
    { circuits: [reads(10, ' x q; x q; x q; x q; y q;')], optimization_level: 0 },
    ['circuits.0.circuit', 'too_many_pulses', 5, 'at least 60 pulses'],
  ],
  ['pulses that may be joined', { circuits: [reads(10, ' x q; x q; x q; x q; y q;')] }, undefined],
  [
    'conditions',
    { circuits: [`${HEAD}qubit q; bit c;\nc = measure q;\n${'if (c) x q;\n'.repeat(3)}`] },
    ['circuits.0.circuit', 'too_many_branches', 7, 'allows 2 conditions'],
  ],
  [
    'results',
    { circuits: [waits('1ns')], shots: 20_000, memory: true },
    ['memory', 'results_too_large', undefined, 'returns at most'],
  ],
  [
    'the time of all circuits',
    { circuits: Array(6).fill(waits('1ms')), shots: 1_500 },
    ['circuits', 'job_too_long', undefined, 'takes at least 10.8'],
  ],
  ['less time', { circuits: Array(6).fill(waits('1ms')), shots: 1_300 }, undefined],
])('a job is judged at submission and in a dry run by limits: %s', async (_, body, expected) => {
  await using it = await openQpu()
  const found = await dryRunBody(it.lab, it.caller, body)
  const outcome = await submitBody(it.lab, it.caller, body).then(
    () => undefined,
    ({ fields }) => fields,
  )
  if (expected === undefined) {
    expect([found.problems, outcome]).toEqual([[], undefined])
    return
  }
  const [path, code, line, message] = expected
  const problem = { code, message: expect.stringContaining(message) }
  const params = line === undefined ? {} : { params: expect.objectContaining({ line }) }
  expect(found.problems).toContainEqual(expect.objectContaining({ path, ...problem, ...params }))
  expect(outcome[path]).toMatchObject({ ...problem, ...params })
})

test('a wait in dt takes as long as on the QPU that the job names, and on any QPU as on the fastest', async () => {
  await using it = await openQpu()
  const describeDt = (dt_s?: number) =>
    storeDescription(it.lab.db, it.target, { schema: 1, limits: LIMITS, ...(dt_s && { dt_s }) })
  const bodies = [it.qpu.name, it.qpu.id, undefined].flatMap((qpu_target) => [
    { circuits: [waits('80000000dt')], qpu_target, shots: 10 },
    {
      circuits: [`${HEAD}qubit q; bit c; delay[${'0s + '.repeat(20_000)}80000000dt] q;`],
      qpu_target,
      shots: 10,
    },
  ])
  const problems = async () =>
    Promise.all(bodies.map(async (body) => (await dryRunBody(it.lab, it.caller, body)).problems.length))
  const found: number[][] = []
  for (const dt of [undefined, 0.5e-9, 2e-9]) {
    await describeDt(dt)
    found.push(await problems())
  }
  expect(found).toEqual([0, 0, 1].map((each) => bodies.map(() => each)))
  const [body] = bodies
  await expect(submitBody(it.lab, it.caller, body)).rejects.toThrow('Invalid job')
  const other = await it.lab.qpu({ numQubits: 2 })
  await storeDescription(it.lab.db, await it.lab.attach(other.driver), { schema: 1, limits: LIMITS })
  expect((await dryRunBody(it.lab, it.caller, { ...body, qpu_target: undefined })).problems).toEqual([])
  await describeDt(0.5e-9)
  expect((await submitBody(it.lab, it.caller, body))['status']).toBe('pending')
})

test('a job in dt for any of several QPUs warns when their dt differ, and reads only the one that it names', async () => {
  await using it = await openQpu()
  const other = await it.lab.qpu({ numQubits: 2 })
  const otherTarget = await it.lab.attach(other.driver)
  const small = await it.lab.qpu({ numQubits: 1 })
  const describeDt = (target: typeof it.target, dt_s: number) =>
    storeDescription(it.lab.db, target, { schema: 1, limits: LIMITS, dt_s })
  await describeDt(it.target, 2e-9)
  await describeDt(otherTarget, 5e-10)
  const described = { schema: 1, limits: { qubits: 1 }, dt_s: 1e-10 } as const
  await storeDescription(it.lab.db, await it.lab.attach(small.driver), described)
  const plain = `${HEAD}qubit q; bit c; c = measure q;`
  const two = 'qubit[2] q; bit c;\n'
  const texts = {
    dt: `${HEAD}${two}delay[10dt] q[1]; c = measure q[0];`,
    old: 'OPENQASM 2.0; qreg q[2]; creg c[1]; opaque delay(t) a; delay(3) q[1]; measure q[0] -> c[0];',
    large: `${HEAD}${two}delay[${'0s + '.repeat(20_000)}10dt] q[1]; c = measure q[0];`,
    none: `${HEAD}${two}// 10dt\ndelay[10ns] q[1]; c = measure q[0];`,
  }
  const warned = async (circuit: string, qpu_target?: string) => {
    const body = { circuits: [plain, circuit], shots: 10, qpu_target }
    const dry = await dryRunBody(it.lab, it.caller, body)
    expect(dry.problems).toEqual([])
    const { warnings } = await submitBody(it.lab, it.caller, body)
    expect(warnings).toEqual(dry.warnings)
    return dry.warnings.filter(({ code }) => code === 'dt_differs')
  }
  const message =
    `The program states times in dt, which is 5e-10 s on ${other.name} and 2e-9 s on ${it.qpu.name}. The dt of ` +
    'the QPU that runs the job counts, and this check takes the shortest; name a QPU with qpu_target.'
  const warning = { path: 'circuits.1.circuit', code: 'dt_differs', message }
  for (const text of [texts.dt, texts.old, texts.large]) expect(await warned(text)).toEqual([warning])
  expect(await warned(texts.none)).toEqual([])
  expect(await warned(texts.dt, it.qpu.name)).toEqual([])
  await describeDt(otherTarget, 2e-9)
  expect(await warned(texts.dt)).toEqual([])
  for (const name of [it.qpu.name, it.qpu.id, ` ${it.qpu.name} `])
    expect((await readDts(it.lab, name)).map(({ id }) => id)).toEqual([it.qpu.id])
  expect(
    (await Promise.all(['nowhere', ' ', ''].map((name) => readDts(it.lab, name)))).map(
      ({ length }) => length,
    ),
  ).toEqual([0, 3, 3])
})

test('what is beyond the budget of the check is left to the device', () => {
  const endless = `${HEAD}qubit q; bit c;\nfor int i in [1:900000] { x q; }\nc = measure q;`
  const { problems, extents } = checkPrograms({
    circuits: [{ circuit: reads(3) }, { circuit: endless }],
    ...{ shots: 1, meas_level: 2, meas_return: 'single', memory: false, optimization_level: 0 },
  })
  expect(problems).toEqual([])
  const needed = (kind: string) => extents?.most.find((each) => each.kind === kind)?.needed ?? 0
  expect(needed('acquisitions')).toBe(3)
  // As far as it was executed.
  expect(needed('pulses')).toBeGreaterThan(3)
  expect(needed('pulses')).toBeLessThan(900_000)
})

test('a waiting job is judged again when the description changes, and says why it waits', async () => {
  await using it = await openQpu()
  const dispatcher = new JobDispatcher({
    ...it.lab.dependencies(),
    heartbeats: new Heartbeats(it.lab.clock, it.lab.config.jobTimeout),
    backoff: new DispatchBackoff(it.lab.clock),
  })
  const submit = async (circuit: string) =>
    String((await submitBody(it.lab, it.caller, { circuits: [circuit], shots: 10 }))['id'])
  const [job, other] = [await submit(waits('50ms')), await submit(waits('5ms'))]
  const sent = () => it.lab.hub.commands('RunJob').map((command) => command.job)
  await it.describeWith({ ...LIMITS, schedule_s: 0.02 })
  await dispatcher.dispatchOnce()
  expect(sent()).toEqual([other])
  expect((await viewJob(it.lab, it.caller, job))['waiting']).toMatchObject({
    code: 'unsupported_by_qpu',
    text: expect.stringContaining(
      'takes at least 0.050000001 s (line 5); qpu_1 plays shots of at most 0.02 s',
    ),
  })
  await it.lab.complete(other)
  await it.describeWith(LIMITS)
  await dispatcher.dispatchOnce()
  expect(sent()).toEqual([other, job])
})
