import { expect, test } from 'bun:test'
import type { DeviceDescription, QualityCondition } from '../../../../src/protocol/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { viewJob } from '../../../../src/server/jobs/view.ts'
import { storeDescription } from '../../../../src/server/qpus/describe.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { dryRunBody, submitBody } from './submit-body.ts'

const FEATURES = ['quality_condition']
const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const on = (qubit: number) => `${HEAD} bit c; x $${qubit}; c = measure $${qubit};`
const JOINED = `${HEAD} qubit[2] q; bit[2] c; cx q[0], q[1]; c = measure q;`

function describedAs(errors: number[], pairs: (number | undefined)[], more: object = {}): DeviceDescription {
  return {
    schema: 1,
    features: FEATURES,
    qubits: errors.map((readout_error, at) => ({ name: `q${at}`, readout_error, ...more })),
    gates: [
      { name: 'x', on: errors.map((_, at) => ({ qubits: [at] })) },
      {
        name: 'cz',
        on: pairs.map((error, at) => ({ qubits: [at, at + 1], ...(error !== undefined && { error }) })),
      },
    ],
  }
}

async function openChip(description: DeviceDescription) {
  const lab = await JobLab.open()
  const qpu = await lab.qpu({ numQubits: 3 })
  const target = await lab.attach(qpu.driver)
  await storeDescription(lab.db, target, description)
  const caller = lab.caller(await lab.user())
  const dispatcher = new JobDispatcher({
    ...lab.dependencies(),
    heartbeats: new Heartbeats(lab.clock, lab.config.jobTimeout),
    backoff: new DispatchBackoff(lab.clock),
  })
  const submit = async (circuit: string, require?: QualityCondition) =>
    String((await submitBody(lab, caller, { circuits: [circuit], ...(require && { require }) }))['id'])
  const view = async (id: string) => viewJob(lab, caller, id)
  const sent = () => lab.hub.commands('RunJob').map(({ job }) => job)
  const measured = (q0: number) => lab.calibrate(target, { q0 })
  return {
    lab,
    qpu,
    target,
    caller,
    dispatcher,
    submit,
    view,
    sent,
    measured,
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

test('a job waits while its condition misses, says which value does, and the others pass it', async () => {
  await using it = await openChip(describedAs([0.04, 0.01, 0.02], [0.02, 0.005]))
  const job = await it.submit(on(0), { readout_fidelity: '>0.97' })
  const other = await it.submit(on(0))
  const waiting = {
    code: 'below_quality',
    text: `the program uses $0 of ${it.qpu.name}: q0 does not meet the condition of the job (readout fidelity 0.9600 is not >0.97). It runs when a calibration meets its condition, and jobs after it go first; cancel it if it need not`,
  }
  expect(await it.view(job)).toMatchObject({ waiting, estimated_start: null, estimate: { start: null } })
  await it.dispatcher.dispatchOnce()
  expect(it.sent()).toEqual([other])
  await it.lab.complete(other)
  await it.measured(0.969)
  await it.dispatcher.dispatchOnce()
  expect((await it.view(job))['waiting']).toMatchObject({ text: expect.stringContaining('0.9690 is not') })
  // The newest measurement counts, as on the pages.
  await it.lab.clock.advance(1_000)
  await it.measured(0.98)
  await it.dispatcher.dispatchOnce()
  expect(it.sent()).toEqual([other, job])
  expect(it.lab.hub.commands('RunJob').at(-1)?.payload).toMatchObject({
    require: { readout_fidelity: '>0.97' },
  })
})

test('only what meets the condition is connected for a circuit on registers', async () => {
  await using it = await openChip(describedAs([0.04, 0.01, 0.02], [0.002, 0.02]))
  const dry = async (require: QualityCondition) => {
    const { accepted, warnings, estimate } = await dryRunBody(it.lab, it.caller, {
      circuits: [JOINED],
      require,
    })
    expect(accepted).toBe(true)
    return [warnings.map(({ path, code, message }) => `${path} ${code} ${message}`), estimate?.start === null]
  }
  expect(await dry({ readout_fidelity: '>0.97' })).toEqual([[], false])
  expect(await dry({ two_qubit_error: '<0.01' })).toEqual([[], false])
  expect(await dry({ readout_fidelity: '>0.97', two_qubit_error: '<0.01' })).toEqual([
    [
      `require below_quality The job would wait until a calibration meets its condition: the gates of the program join groups of 2 qubits; of ${it.qpu.name}, the couplings that the job may use connect no qubits: q0 does not meet the condition of the job (readout fidelity 0.9600 is not >0.97); q1_q2 does not meet the condition of the job (two-qubit error 0.0200 is not <0.01).`,
    ],
    true,
  ])
})

test('a calibration becomes too old while a job waits, which no new one has answered', async () => {
  const at = (ms: number) => ({ calibrated_at: new Date(ms).toISOString() })
  await using it = await openChip(describedAs([0, 0, 0], [0, 0]))
  await storeDescription(it.lab.db, it.target, describedAs([0, 0, 0], [0, 0], at(it.lab.clock.now())))
  const [first, second] = [await it.submit(on(0)), await it.submit(on(0), { calibrated_within: '2h' })]
  expect((await it.view(second))['waiting']).toMatchObject({ code: 'ahead_in_queue' })
  await it.dispatcher.dispatchOnce()
  await it.lab.clock.advance(7_300_000)
  await it.lab.complete(first)
  await it.dispatcher.dispatchOnce()
  expect(it.sent()).toEqual([first])
  expect((await it.view(second))['waiting']).toMatchObject({
    code: 'below_quality',
    text: expect.stringContaining('(calibrated 121m ago, not within 2h)'),
  })
  await storeDescription(it.lab.db, it.target, describedAs([0, 0, 0], [0, 0], at(it.lab.clock.now())))
  await it.dispatcher.dispatchOnce()
  expect(it.sent()).toEqual([first, second])
})

test('a QPU that can never answer a condition is refused, and a driver that has forgotten it gets no job', async () => {
  await using it = await openChip(describedAs([0, 0, 0], [0, 0]))
  const job = await it.submit(on(0), { readout_fidelity: '>0.9' })
  const { features: _, ...older } = describedAs([0, 0, 0], [0, 0])
  await storeDescription(it.lab.db, it.target, older)
  await it.dispatcher.dispatchOnce()
  expect(it.sent()).toEqual([])
  expect((await it.view(job))['waiting']).toMatchObject({
    code: 'unsupported_by_qpu',
    text: expect.stringContaining('does not support quality_condition'),
  })
  await expect(it.submit(on(0), { readout_fidelity: '>0.9' })).rejects.toMatchObject({
    fields: { require: { code: 'unsupported_feature' } },
  })
  await expect(it.submit(on(0), { readout_fidelity: '0.9' })).rejects.toMatchObject({
    fields: { 'require.readout_fidelity': { message: expect.stringContaining('such as ">0.97"') } },
  })
})
