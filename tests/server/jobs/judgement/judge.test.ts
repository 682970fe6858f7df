import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AppError } from '../../../../src/base/index.ts'
import { users } from '../../../../src/db/store/accounts/index.ts'
import { cancelJob } from '../../../../src/db/store/jobs/index.ts'
import { qpus } from '../../../../src/db/store/qpus/index.ts'
import type { DeviceDescription } from '../../../../src/protocol/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { viewJob } from '../../../../src/server/jobs/view.ts'
import { storeDescription } from '../../../../src/server/qpus/describe.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { part } from '../../../support/whole.ts'
import { dryRunBody, submitBody } from '../submission/submit-body.ts'

const GATES = { use: 'gates', reason: 'rxy.amp180 is not set' } as const
type Qubit = NonNullable<DeviceDescription['qubits']>[number]

/** A chip of three qubits, each of which may be flawed, on QPUs of three and of two qubits. */
async function openLab() {
  const lab = await JobLab.open()
  const [large, small] = [await lab.qpu({ numQubits: 3 }), await lab.qpu({ numQubits: 2 })]
  const target = await lab.attach(large.driver)
  const describe = (qubits: readonly Omit<Qubit, 'name'>[]) =>
    storeDescription(lab.db, target, {
      schema: 1,
      features: ['quality_condition'],
      qubits: qubits.map((each, at) => ({ name: `q${at}`, readout_error: 0.01, ...each })),
      gates: [],
    })
  return { lab, large, small, describe, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

const on = (qubits: readonly number[]) =>
  `OPENQASM 3.0; include "stdgates.inc"; bit[${qubits.length}] c; ${qubits.map((qubit, at) => `x $${qubit}; c[${at}] = measure $${qubit};`).join(' ')}`

const qubit = fc.constantFrom<Omit<Qubit, 'name'>>(
  {},
  { operational: false, uncalibrated: [GATES] },
  { operational: false },
  { readout_error: 0.2 },
)
const chip = fc.tuple(qubit, qubit, qubit)
const program = fc.record({
  used: fc.subarray([0, 1, 2], { minLength: 1 }),
  requires: fc.boolean(),
  allows: fc.boolean(),
})
const bodyOf = ({ used, requires, allows }: typeof program extends fc.Arbitrary<infer T> ? T : never) => ({
  circuits: [{ circuit: on(used), ...(requires && { name: 'x'.repeat(200) }) }],
  ...(requires && { require: { readout_fidelity: '>0.9' } }),
  ...(allows && { allow_uncalibrated: true }),
})

test('a dry run lists the problems of a submission in its order, and accepts what it accepts', async () => {
  await using it = await openLab()
  const { lab } = it
  const state = fc.record({
    chip,
    program,
    isBroken: fc.boolean(),
    target: fc.constantFrom('large', 'small', '', 'nowhere'),
    closed: fc.constantFrom({}, { maintenance: true }, { enabled: false }),
    user: fc.constantFrom({}, { disabled: true }, { max_bytes: 1 }, { qpu_seconds: 0 }),
  })
  const codes = new Set<unknown>()
  await fc.assert(
    fc.asyncProperty(state, async ({ chip, program, isBroken, target, closed, user: patch }) => {
      const { qpu_seconds: seconds = 10, ...limits } = patch as { qpu_seconds?: number }
      const user = await lab.user(seconds)
      await it.describe(chip)
      await lab.db.write('state', (tx) => {
        tx.update(users, user.id, limits)
        tx.update(qpus, it.large.id, { maintenance: false, enabled: true, ...closed })
      })
      const name = { large: it.large.name, small: it.small.name, '': '', nowhere: 'nowhere' }[target]
      const { circuits, ...body } = bodyOf(program)
      const sent = {
        ...{ ...body, qpu_target: name },
        circuits: isBroken ? [{ circuit: `${circuits[0]?.circuit} none q;` }] : circuits,
      }
      const caller = lab.caller(user)
      const dry = await dryRunBody(lab, caller, sent)
      const refusal = await submitBody(lab, caller, sent).then(
        () => undefined,
        (error: AppError) => error,
      )
      const [first] = dry.problems
      const [field] = Object.values(refusal?.fields ?? {})
      expect(dry.accepted).toBe(refusal === undefined)
      expect(first?.code).toBe(field?.code ?? refusal?.reason)
      expect(first?.message).toBe(field?.message ?? refusal?.message)
      codes.add(first?.code)
    }),
    { numRuns: part(600, 100), endOnFailure: true },
  )
  for (const code of ['maintenance', 'not_calibrated', 'account_disabled', 'larger_than_quota', undefined])
    expect(codes).toContain(code)
})

test('a dry run counts what the circuits are called, as a submission does', async () => {
  await using it = await openLab()
  const user = await it.lab.user()
  await it.lab.db.write('limit', (tx) => tx.update(users, user.id, { max_bytes: 2_000 }))
  const caller = it.lab.caller(user)
  const body = { circuits: [{ circuit: on([0]), metadata: { text: 'x'.repeat(900) } }] }
  await expect(submitBody(it.lab, caller, body)).rejects.toMatchObject({ reason: 'larger_than_quota' })
  expect((await dryRunBody(it.lab, caller, body)).problems).toMatchObject([{ code: 'larger_than_quota' }])
})

test('a claim judges a chip as a submission did', async () => {
  await using it = await openLab()
  const { lab, large } = it
  const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
  const dispatcher = new JobDispatcher({
    ...lab.dependencies(),
    heartbeats,
    backoff: new DispatchBackoff(lab.clock),
  })
  const codes = new Set<unknown>()
  await fc.assert(
    fc.asyncProperty(chip, program, async (flawed, wanted) => {
      const caller = lab.caller(await lab.user())
      const body = { ...bodyOf(wanted), qpu_target: large.name }
      await it.describe([{}, {}, {}])
      const { id } = await submitBody(lab, caller, body)
      await it.describe(flawed)
      const { problems, warnings } = await dryRunBody(lab, caller, body)
      const found = problems[0] ?? warnings.find(({ code }) => code === 'below_quality')
      await dispatcher.dispatchOnce()
      const { status, waiting } = await viewJob(lab, caller, id)
      codes.add(found?.code)
      expect(status).toBe(found ? 'pending' : 'running')
      const reason = found?.message.replace(/^The job would wait until .*?: /, '').split(/\.(?: |$)/)[0] ?? ''
      if (found) expect((waiting as { text: string }).text.toLowerCase()).toContain(reason.toLowerCase())
      if (status === 'running') await lab.complete(id)
      else await lab.db.write('cancel', (tx) => cancelJob(tx, id))
    }),
    { numRuns: part(300, 40), endOnFailure: true },
  )
  expect([...codes].sort()).toEqual(['below_quality', 'not_calibrated', undefined])
})
