import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type Lab, openLab } from '../e2e/lab.ts'
import { openPython } from '../support/python/python.ts'

setDefaultTimeout(300_000)

const python = await openPython()

type ScenarioOutcome = { result: unknown; error?: undefined } | { result?: undefined; error: string }

let lab: Lab
let seen: Record<string, ScenarioOutcome> = {}

/** The output of the client in one scenario of `qpi.py`; its error fails the test. */
function resultOf(scenario: string): unknown {
  const outcome = seen[scenario]
  if (!outcome) throw new Error(`qpi.py has no scenario ${scenario}`)
  if (outcome.error !== undefined) throw new Error(outcome.error)
  return outcome.result
}

async function runClient(interpreter: string): Promise<Record<string, ScenarioOutcome>> {
  const token = await lab.service.call<{ token: string }>('POST', '/api/tokens', {
    token: lab.user.token,
    body: { name: 'notebook' },
  })
  const given = {
    url: lab.url,
    api_token: token.body.token,
    email: lab.user.email,
    password: lab.user.password,
    superuser_token: lab.admin.token,
    qpu: 'kelvin',
  }
  const client = Bun.spawn([interpreter, join(import.meta.dir, 'qpi.py')], {
    stdin: new Blob([JSON.stringify(given)]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([
    new Response(client.stdout).text(),
    new Response(client.stderr).text(),
  ])
  if ((await client.exited) !== 0) throw new Error(err)
  return JSON.parse(out)
}

describe.skipIf(!python)('the public Python client', () => {
  beforeAll(async () => {
    lab = await openLab()
    await lab.connect()
    seen = await runClient(python ?? '')
  })

  afterAll(() => lab.close())

  test('submits a job, waits for it and reads its counts', () => {
    const { counts, record, ...rest } = resultOf('submit_wait_result') as {
      counts: Record<string, number>
      record: string[]
    }
    expect(rest).toEqual({ id: expect.any(String), status: 'DONE', success: true, shots: 500 } as object)
    expect(Object.keys(counts).toSorted()).toEqual(['00', '11'])
    expect((counts['00'] ?? 0) + (counts['11'] ?? 0)).toBe(500)
    expect(record).toEqual(
      expect.arrayContaining(['id', 'status', 'payload', 'results', 'created', 'updated']),
    )
  })

  test('receives one result for each circuit, with its own shots', () => {
    const [pair, flip] = resultOf('two_circuits') as Record<string, number>[]
    expect(Object.values(pair ?? {}).reduce((sum, count) => sum + count, 0)).toBe(100)
    expect(flip).toEqual({ '1': 50 })
  })

  test('runs Qiskit circuits as a backend, with the bits where Qiskit has them', async () => {
    // What the device describes, not the 24 that the QPU was registered with.
    const { num_qubits: described } = (
      await lab.service.call<{ num_qubits: number }>('GET', '/api/qpus/kelvin')
    ).body
    expect(resultOf('backend_run')).toEqual({ num_qubits: described, counts: { '001': 100 } })
    expect(resultOf('backend_two_registers')).toEqual({ '00 1': 10 })
    expect(Object.keys(resultOf('backend_measure_all') as object).toSorted()).toEqual(['00', '11'])
    expect(resultOf('past_job')).toBe(1_024)
  })

  test('binds parameters of circuits and of programs', () => {
    expect(resultOf('backend_parameters')).toEqual({ '1': 20 })
    expect(resultOf('backend_parameter_sets')).toEqual([{ '0': 20 }, { '1': 20 }])
  })

  test('receives the error of a submission', () => {
    expect(resultOf('refused_program')).toMatchObject({
      status: 400,
      body: { data: { 'circuits.0.circuit': { code: 'unknown_name', params: { line: 1, column: 24 } } } },
    })
    expect(resultOf('no_circuits')).toMatchObject({ status: 400, body: { data: { circuits: {} } } })
  })

  test('lists jobs and receives the errors of missing and forbidden ones', () => {
    expect(resultOf('list_jobs')).toMatchObject({
      type: 'list',
      first: expect.arrayContaining(['id', 'status']),
    })
    expect(resultOf('unknown_job')).toMatchObject({ status: 404, body: { status: 404, data: {} } })
    expect(resultOf('bad_token')).toMatchObject({ status: 401 })
  })

  test('cancels a waiting job', () => {
    expect(resultOf('cancel')).toEqual({
      before: 'QUEUED',
      after: 'CANCELLED',
      message: expect.stringMatching(/^Job \w{15} was cancelled$/),
      again: 409,
    })
  })

  test('creates, lists, shows and toggles QPUs', () => {
    expect(resultOf('qpus')).toMatchObject({
      created: { name: 'paper_qpu', num_qubits: 7, enabled: false, access_token: expect.any(String) },
      names: expect.arrayContaining(['kelvin', 'paper_qpu']),
      one: { name: 'paper_qpu', num_qubits: 7 },
      toggled: { enabled: true },
      refused: 403,
      unknown: 404,
    })
  })

  test('connects a driver by the path of older drivers', () => {
    expect(resultOf('connect_qpu')).toMatchObject({
      connected: { status: 'success', command_port: expect.any(Number), tls_hash: expect.any(String) },
      refused: 401,
    })
  })

  test('logs in with a password', () => {
    expect(resultOf('login')).toMatchObject({
      record: 'lindqvist@lab.example',
      jobs: true,
      wrong: { status: 400, body: { message: 'Failed to authenticate.' } },
    })
  })

  test('books, moves and cancels a time slot', () => {
    const { slot, listed, moved, overlap, left } = resultOf('time_slots') as Record<string, unknown>
    expect(slot).toMatchObject({ booked_by: lab.user.id, start_time: expect.stringMatching(/\.000Z$/) })
    expect(listed).toEqual([(slot as { id: string }).id])
    expect((moved as { end_time: string }).end_time > (slot as { end_time: string }).end_time).toBe(true)
    expect(overlap).toMatchObject({ status: 400 })
    expect(left).toBe(0)
  })

  test('requests QPU time, which a superuser approves or rejects', () => {
    const { request, listed, ...rest } = resultOf('time_requests') as Record<string, unknown>
    expect(request).toMatchObject({ user: lab.user.id, seconds: 25, status: 'pending' })
    expect(listed).toEqual([(request as { id: string }).id])
    expect(rest).toMatchObject({
      approved: { status: 'approved', seconds: 25 },
      granted: 25,
      rejected: { status: 'rejected', rejection_reason: 'no more this week' },
      refused: 403,
    })
  })

  test('lists users as far as the caller may, and sets their balance', () => {
    expect(resultOf('users')).toEqual({
      own: ['lindqvist@lab.example'],
      all: expect.any(Number),
      allocated: 500,
      whole: true,
      refused: 400,
    })
  })

  test('reads notifications and dismisses one', () => {
    expect(resultOf('notifications')).toEqual({ seen: true, response: { status: 'dismissed' }, gone: true })
  })
})
