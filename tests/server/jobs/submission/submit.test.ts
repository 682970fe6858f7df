import { describe, expect, test } from 'bun:test'
import { saveSuperuser, users } from '../../../../src/db/store/accounts/index.ts'
import type { Caller } from '../../../../src/server/http/caller.ts'
import { BELL, JobLab } from '../../../support/server/job-lab.ts'
import { dryRunBody, submitBody } from './submit-body.ts'

const BODY = { circuits: [{ circuit: BELL }], shots: 10 }
const ROTATION =
  'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float a;\ninput float b;\nqubit q;\nrx(a) q;\nrz(b) q;\n'

const countJobs = (lab: JobLab) =>
  lab.db.read((tx) => tx.one<{ jobs: number }>('SELECT count(*) AS jobs FROM quantum_jobs')?.jobs)

describe('submitJob()', () => {
  test('stores a pending job with every default and returns it', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const user = await lab.user()
    const view = await submitBody(lab, lab.caller(user), BODY)
    expect(view).toMatchObject({
      status: 'pending',
      user_id: user.id,
      qpu_target: qpu.id,
      attempt: 0,
      results: null,
      payload: { circuits: BODY.circuits, shots: 10, meas_level: 2, meas_return: 'single', memory: false },
    })
    expect(view).not.toHaveProperty('not_before')
    expect(await lab.history(view.id)).toEqual(['submitted 0'])
  })

  test('finds the QPU by name, with hyphens or without, and by id; without one any may run it', async () => {
    await using lab = await JobLab.open()
    const [qpu] = [await lab.qpu(), await lab.qpu()]
    const caller = lab.caller(await lab.user())
    for (const qpu_target of [qpu.name, qpu.name.replace('_', '-'), qpu.id]) {
      expect(await submitBody(lab, caller, { ...BODY, qpu_target })).toMatchObject({ qpu_target: qpu.id })
    }
    expect(await submitBody(lab, caller, BODY)).toMatchObject({ qpu_target: '' })
    await expect(submitBody(lab, caller, { ...BODY, qpu_target: 'nothing' })).rejects.toMatchObject({
      code: 'invalid',
      fields: { qpu_target: { code: 'validation_missing_rel_records' } },
    })
  })

  test('names the QPU that was probably meant', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const message = expect.stringContaining(`did you mean ${qpu.name}?`)
    const submitted = submitBody(lab, lab.caller(await lab.user()), { ...BODY, qpu_target: `${qpu.name}x` })
    await expect(submitted).rejects.toMatchObject({ fields: { qpu_target: { message } } })
  })

  test('reports line, column and code of each problem of a program', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const bad = BELL.replace('cx q[0], q[1]', 'cy3 q[0], q[1]')
    const body = { circuits: [BELL, bad, BELL.replace('[2] c', '[2] c 5')] }
    await expect(submitBody(lab, lab.caller(await lab.user()), body)).rejects.toMatchObject({
      code: 'invalid',
      fields: {
        'circuits.1.circuit': { code: 'unknown_name', params: { line: 6, column: 1 } },
        'circuits.2.circuit': { code: 'syntax_error', params: { line: 4 } },
      },
    })
    expect(await countJobs(lab)).toBe(0)
  })

  test('compares each parameter set with the inputs of its program', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const caller = lab.caller(await lab.user())
    const submit = (parameter_values: unknown, circuit = ROTATION) =>
      submitBody(lab, caller, { circuits: [{ circuit, parameter_values }] })
    await submit([1, 2])
    await submit([
      [1, 2],
      [3, 4],
    ])
    await submit([7], BELL)
    await expect(submit(undefined)).rejects.toMatchObject({
      fields: {
        'circuits.0.parameter_values': {
          code: 'parameter_count',
          message: 'Circuit 0 takes 2 parameters (a, b); send their values in this order.',
        },
      },
    })
    await expect(submit([[1, 2], [3]])).rejects.toMatchObject({
      fields: { 'circuits.0.parameter_values.1': { message: 'Circuit 0 takes 2 parameters, set 1 has 1.' } },
    })
    await expect(submit([[1], [2]], BELL)).rejects.toMatchObject({ code: 'invalid' })
  })

  test('refuses one qubit more than the QPU has, accepts exactly as many, and any number for an undescribed QPU', async () => {
    await using lab = await JobLab.open()
    const [small, silent] = [await lab.qpu({ numQubits: 2 }), await lab.qpu({ numQubits: 1 })]
    const caller = lab.caller(await lab.user())
    const circuits = [BELL, BELL.replaceAll('bit[2]', 'bit[3]')]
    await expect(submitBody(lab, caller, { circuits, qpu_target: small.id })).rejects.toMatchObject({
      fields: { 'circuits.1.circuit': { code: 'too_many_qubits', params: { qubits: 3, max: 2 } } },
    })
    await submitBody(lab, caller, { circuits: [BELL], qpu_target: small.id })
    await submitBody(lab, caller, { circuits, qpu_target: silent.id })
    await submitBody(lab, caller, { circuits })
    await lab.setQpu(silent.id, { num_qubits: 2 })
    await expect(submitBody(lab, caller, { circuits })).rejects.toMatchObject({ code: 'invalid' })
  })

  test('refuses jobs for QPUs that are off or in maintenance, and accepts them for others', async () => {
    await using lab = await JobLab.open()
    const [off, repair, offline] = [await lab.qpu({ enabled: false }), await lab.qpu(), await lab.qpu()]
    await lab.setQpu(repair.id, { maintenance: true, maintenance_reason: 'new pump' })
    const caller = lab.caller(await lab.user())
    const submit = (qpu_target?: string) => submitBody(lab, caller, { ...BODY, qpu_target })
    await expect(submit(off.name)).rejects.toMatchObject({ code: 'unavailable', reason: 'qpu_disabled' })
    await expect(submit(repair.name)).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'maintenance',
      message: `QPU ${repair.name} does not accept jobs: maintenance: new pump`,
    })
    await submit(offline.name)
    await submit()
    await lab.setQpu(offline.id, { maintenance: true })
    await expect(submit()).rejects.toMatchObject({ code: 'unavailable', reason: 'maintenance' })
    for (const qpu of [repair, offline]) await lab.setQpu(qpu.id, { enabled: false })
    await expect(submit()).rejects.toMatchObject({ code: 'unavailable', reason: 'qpu_disabled' })
  })

  test('refuses guests, an empty balance and a full queue', async () => {
    await using lab = await JobLab.open({ maxPendingJobs: '1' })
    await lab.qpu()
    await expect(submitBody(lab, { kind: 'guest' }, BODY)).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(submitBody(lab, lab.caller(await lab.user(0)), BODY)).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'insufficient_qpu_seconds',
    })
    const caller = lab.caller(await lab.user())
    await submitBody(lab, caller, BODY)
    await expect(submitBody(lab, caller, BODY)).rejects.toMatchObject({ reason: 'too_many_pending_jobs' })
  })

  test('creates one job per key, even after the balance is used up; another body is refused', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const user = await lab.user()
    const submit = (body: unknown, idempotencyKey = 'key-1') =>
      submitBody(lab, lab.caller(user), body, { idempotencyKey })
    const all = await Promise.all(Array.from({ length: 20 }, () => submit(BODY)))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(await countJobs(lab)).toBe(1)
    await lab.db.write('disable', (tx) => tx.update(users, user.id, { disabled: true }))
    expect((await submit(BODY)).id).toBe(all[0]?.id ?? '')
    await expect(submit({ ...BODY, shots: 11 })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(submit(BODY, 'a b')).rejects.toMatchObject({ code: 'invalid' })
  })

  test('allows a superuser to submit without a balance', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const superuser = await saveSuperuser(lab.db, {
      email: 'root@example.org',
      passwordHash: 'x',
      mode: 'create',
      actor: 'test',
    })
    const caller: Caller = {
      kind: 'superuser',
      superuser,
      login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY },
    }
    const one = await submitBody(lab, caller, BODY)
    const other = await submitBody(lab, caller, BODY)
    expect(one['user_id']).toBe(other['user_id'])
  })
})

describe('dryRunJob()', () => {
  test('returns what would be stored, and stores nothing', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const body = {
      circuits: [
        {
          circuit: ROTATION,
          parameter_values: [
            [1, 2],
            [3, 4],
          ],
        },
        BELL,
      ],
      extensions: { shot: 5 },
    }
    const { payload, ...response } = await dryRunBody(lab, lab.caller(await lab.user()), body)
    expect(Object(payload).value).toMatchObject({ shots: 1_024 })
    expect(response).toMatchObject({
      dry_run: true,
      accepted: true,
      executions: 3,
      qubits: 2,
      qpu_target: qpu.id,
      problems: [],
      ignored: ['extensions'],
    })
    expect(await countJobs(lab)).toBe(0)
  })

  test('has the warnings of the programs with their lines, up to 100, and accepts the job', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const caller = lab.caller(await lab.user())
    const cx = 'OPENQASM 3.0;\nqubit[2] q;\nctrl @ U(pi, 0, pi) q[0], q[1];\n'
    const response = await dryRunBody(lab, caller, { circuits: [BELL, cx] })
    expect(response).toMatchObject({
      accepted: true,
      problems: [],
      warnings: [
        { path: 'circuits.1.circuit', code: 'no_measurement', params: { line: 1, column: 1 } },
        { path: 'circuits.1.circuit', code: 'omitted_phase', params: { line: 3, column: 1 } },
      ],
    })
    const discarded = 'OPENQASM 3.0;\nqubit q;\nmeasure q;\n'
    expect((await dryRunBody(lab, caller, { circuits: [discarded] })).warnings).toMatchObject([
      {
        code: 'no_measurement',
        params: { line: 3, column: 1 },
        message: expect.stringContaining('write c = measure'),
      },
    ])
    const observed = { circuit: 'OPENQASM 3.0; qubit q;', expectation_values: [{ Z: 1 }] }
    const exact = await dryRunBody(lab, caller, { circuits: [observed], exact: true })
    expect(exact.warnings).toEqual([])
    expect((await dryRunBody(lab, caller, { circuits: Array(200).fill(cx) })).warnings).toHaveLength(100)
  })

  test.each([
    [
      'uint[8] n',
      [[7], [300]],
      '1.0',
      'The input "n" is uint[8], an integer from 0 to 255: 300 is out of range.',
    ],
    [
      'int[4] n',
      [[-8], [7], [8]],
      '2.0',
      'The input "n" is int[4], an integer from -8 to 7: 8 is out of range.',
    ],
    ['bit[2] n', [4], '0.0', 'The input "n" is bit[2], an integer from 0 to 3: 4 is out of range.'],
    ['bool n', [2], '0.0', 'The input "n" is bool, an integer from 0 to 1: 2 is out of range.'],
  ])(
    'refuses a value that its input does not represent: %s',
    async (input, parameter_values, place, message) => {
      await using lab = await JobLab.open()
      await lab.qpu()
      const caller = lab.caller(await lab.user())
      const body = {
        circuits: [BELL, { circuit: `OPENQASM 3.0; input ${input}; qubit q;`, parameter_values }],
      }
      const path = `circuits.1.parameter_values.${place}`
      await expect(submitBody(lab, caller, body)).rejects.toMatchObject({
        fields: { [path]: { code: 'invalid_value', message } },
      })
      const { problems } = await dryRunBody(lab, caller, body)
      expect(problems.map((each) => [each.path, each.message])).toEqual([[path, message]])
    },
  )

  test('names the first values of a sweep that are out of range', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const sweep = Array.from({ length: 100 }, (_, value) => [value])
    const body = {
      circuits: [{ circuit: 'OPENQASM 3.0; input uint[3] n; qubit q;', parameter_values: sweep }],
    }
    const { problems } = await dryRunBody(lab, lab.caller(await lab.user()), body)
    expect(problems).toHaveLength(20)
    expect(problems[0]?.path).toBe('circuits.0.parameter_values.8.0')
  })

  test('names directives that are ignored', async () => {
    await using lab = await JobLab.open()
    await lab.qpu()
    const noisy = 'OPENQASM 3.0;\nqubit[2] q;\n#pragma braket noise bit_flip(0.1) q[0]\n'
    const body = { circuits: [BELL, noisy], extensions: 1 }
    expect((await dryRunBody(lab, lab.caller(await lab.user()), body)).ignored).toEqual([
      'extensions',
      'circuits.1.circuit, line 3: #pragma braket noise bit_flip is ignored',
    ])
  })

  test('lists all problems at once', async () => {
    await using lab = await JobLab.open()
    await lab.qpu({ enabled: false })
    const body = { circuits: ['OPENQASM 3.0;\nqubit q;\nx2 q;\ny2 q;\n', ROTATION] }
    const response = await dryRunBody(lab, lab.caller(await lab.user(0)), body)
    expect(response.accepted).toBe(false)
    expect(response.problems.map(({ path, code, params }) => [path, code, params?.['line']])).toEqual([
      ['circuits.0.circuit', 'unknown_name', 3],
      ['circuits.0.circuit', 'unknown_name', 4],
      ['circuits.1.parameter_values', 'parameter_count', undefined],
      ['', 'qpu_disabled', undefined],
      ['', 'insufficient_qpu_seconds', undefined],
    ])
  })

  test('reports a body of the wrong shape as problems', async () => {
    await using lab = await JobLab.open()
    const response = await dryRunBody(lab, lab.caller(await lab.user()), { circuits: [{}], shots: 0 })
    expect(response.problems.map(({ path }) => path)).toEqual(['circuits.0.circuit', 'shots'])
  })
})
