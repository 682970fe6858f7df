import { expect, test } from 'bun:test'
import type { Database } from '../../../src/db/index.ts'
import { calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

interface Report {
  qpu: string
  finished_at: string
  routines?: unknown
  benchmarks?: unknown
}

const addReport = (db: Database, report: Report) =>
  db.write('report', (tx) => tx.insert(calibrationResults, report).id)

/** Waits until the values of all reports are stored. */
const untilStored = (db: Database) =>
  until('the values of all reports are stored', async () => {
    const unread = await db.read((tx) =>
      tx.one("SELECT 1 FROM calibration_results WHERE values_stored_at = ''"),
    )
    return unread === undefined
  })

const success = (target: string, parameters: Record<string, unknown>) => ({
  ...{ routine: 'ramsey', target, status: 'success', parameters },
  fit: { x: [1, 2, 3] },
})

interface Value {
  element: string
  parameter: string
  at: string
  value: number
}

const history = async (server: TestServer, query: string) =>
  (await server.admin.get(`/api/calibration/history?${query}`)).body as { unit: string; values: Value[] }

async function openWithReports() {
  const server = await openTestServer()
  const { id: qpu } = await server.createQpu('north')
  const first = await addReport(server.db, {
    qpu,
    finished_at: '2026-01-01 10:00:00.000Z',
    routines: [
      success('q0', { 'clock_freqs.f01': { value: 4.1e9, error: 1e3, unit: 'Hz' }, note: { value: 'text' } }),
      success('q1', { 'clock_freqs.f01': { value: 4.3e9, unit: 'Hz' } }),
      { ...success('q2', { 'clock_freqs.f01': { value: 9 } }), status: 'failed' },
    ],
    benchmarks: [
      { protocol: 'cz_rb', target: 'q0_q1', fidelity: 0.98, fidelity_error: 0.001, raw_data: [1] },
    ],
  })
  const second = await addReport(server.db, {
    qpu,
    finished_at: '2026-01-02 10:00:00.000Z',
    routines: [success('q0', { 'clock_freqs.f01': { value: 4.2e9, error: null, unit: 'Hz' } })],
  })
  await untilStored(server.db)
  return { server, qpu, first, second }
}

test('the history of a parameter has its value in each report, in order of time', async () => {
  const { server, first, second } = await openWithReports()
  await using _ = server
  const ramsey = { routine: 'ramsey' }
  expect(await history(server, 'qpu=north&element=q0&parameter=clock_freqs.f01')).toMatchObject({
    unit: 'Hz',
    values: [
      { at: '2026-01-01 10:00:00.000Z', value: 4.1e9, error: 1e3, report: first, ...ramsey },
      { at: '2026-01-02 10:00:00.000Z', value: 4.2e9, error: null, report: second, ...ramsey },
    ],
  })
  expect((await history(server, 'qpu=north&element=q0_q1&parameter=cz_rb.fidelity')).values).toMatchObject([
    { value: 0.98, error: 0.001, routine: 'cz_rb' },
  ])
  const query = 'qpu=north&element=q0&parameter=clock_freqs.f01'
  expect((await history(server, `${query}&limit=1`)).values).toMatchObject([{ value: 4.2e9 }])
  expect((await history(server, `${query}&to=2026-01-02`)).values).toMatchObject([{ value: 4.1e9 }])
  expect((await history(server, `${query}&from=2026-01-02`)).values).toMatchObject([{ value: 4.2e9 }])
  // Texts are no values, and neither are the parameters of a failed routine.
  for (const query of ['element=q0&parameter=note', 'element=q2&parameter=clock_freqs.f01']) {
    expect((await history(server, `qpu=north&${query}`)).values).toEqual([])
  }
})

test('the newest values and the medians of a QPU survive partial calibrations', async () => {
  const { server, qpu, second } = await openWithReports()
  await using _ = server
  const values = (await server.admin.get('/api/calibration/values?qpu=north')).get('values') as Value[]
  expect(values.map(({ element, parameter, value }) => [element, parameter, value])).toEqual([
    ['q0', 'clock_freqs.f01', 4.2e9],
    ['q0_q1', 'cz_rb.fidelity', 0.98],
    ['q1', 'clock_freqs.f01', 4.3e9],
  ])
  // Guests read the same values of what descriptions have too.
  const guest = (await server.guest.get('/api/calibration/values?qpu=north')).get('values') as Value[]
  expect(guest).toEqual(values)
  const past = await server.guest.get('/api/calibration/values?qpu=north&at=2026-01-02')
  expect([past.status, past.text('code')]).toEqual([401, 'unauthorized'])
  const valuesAt = async (at: string) =>
    ((await server.admin.get(`/api/calibration/values?qpu=north&at=${at}`)).get('values') as Value[]).map(
      ({ element, value }) => [element, value],
    )
  expect(await valuesAt('2026-01-02T09:59:59Z')).toEqual([
    ['q0', 4.1e9],
    ['q0_q1', 0.98],
    ['q1', 4.3e9],
  ])
  expect(await valuesAt('2026-01-02T10:00:00Z')).toContainEqual(['q0', 4.2e9])
  expect(await valuesAt('2025-12-31')).toEqual([])
  const calibration = async () => (await server.guest.get('/api/qpus/north')).get('calibration')
  expect(await calibration()).toEqual({
    report: second,
    at: '2026-01-02 10:00:00.000Z',
    medians: {
      'clock_freqs.f01': { value: 4.25e9, unit: 'Hz', count: 2, at: '2026-01-02 10:00:00.000Z' },
      'cz_rb.fidelity': { value: 0.98, unit: '', count: 1, at: '2026-01-01 10:00:00.000Z' },
    },
  })
  // A report that arrives late adds to the history and changes neither.
  await addReport(server.db, {
    ...{ qpu, finished_at: '2025-01-01 00:00:00.000Z' },
    routines: [success('q0', { 'clock_freqs.f01': { value: 1 } })],
  })
  await untilStored(server.db)
  expect(await calibration()).toMatchObject({
    report: second,
    medians: { 'clock_freqs.f01': { value: 4.25e9 } },
  })
  const { values: all } = await history(server, 'qpu=north&element=q0&parameter=clock_freqs.f01')
  expect(all.map(({ value }) => value)).toEqual([1, 4.1e9, 4.2e9])
})

test('a report that a superuser deletes is not in force any more, the one before is again', async () => {
  const { server, first, second } = await openWithReports()
  await using _ = server
  const calibration = async () => (await server.guest.get('/api/qpus/north')).get('calibration')
  const user = server.as(await server.createUser())
  const remove = (report: string, as = server.admin) =>
    as.call('DELETE', `/api/collections/calibration_results/records/${report}`)
  expect((await remove(second, user)).status).toBe(403)
  expect((await remove(second)).status).toBe(204)
  const at = '2026-01-01 10:00:00.000Z'
  expect(await calibration()).toMatchObject({
    ...{ report: first, at },
    medians: { 'clock_freqs.f01': { value: 4.2e9, count: 2, at }, 'cz_rb.fidelity': { value: 0.98 } },
  })
  expect((await server.admin.get('/api/calibration/values?qpu=north')).get('values')).toMatchObject([
    { element: 'q0', value: 4.1e9, report: first },
    { element: 'q0_q1', report: first },
    { element: 'q1', value: 4.3e9, report: first },
  ])
  expect((await history(server, 'qpu=north&element=q0&parameter=clock_freqs.f01')).values).toHaveLength(1)
  expect((await remove(first)).status).toBe(204)
  expect(await calibration()).toBeNull()
})

const medians = async (server: TestServer, query = '') =>
  (await server.admin.get(`/api/calibration/medians?qpu=north${query}`)).get('series')

test('the medians of a QPU over time are those after each calibration, also one that was reported late', async () => {
  const { server, qpu } = await openWithReports()
  await using _ = server
  await addReport(server.db, {
    ...{ qpu, finished_at: '2025-01-01 00:00:00.000Z' },
    routines: [success('q0', { 'clock_freqs.f01': { value: 1, unit: 'Hz' } })],
  })
  await untilStored(server.db)
  expect(await medians(server)).toEqual([
    {
      ...{ parameter: 'clock_freqs.f01', unit: 'Hz' },
      values: [
        { at: '2025-01-01 00:00:00.000Z', value: 1, count: 1 },
        { at: '2026-01-01 10:00:00.000Z', value: 4.2e9, count: 2 },
        { at: '2026-01-02 10:00:00.000Z', value: 4.25e9, count: 2 },
      ],
    },
    {
      ...{ parameter: 'cz_rb.fidelity', unit: '' },
      values: [{ at: '2026-01-01 10:00:00.000Z', value: 0.98, count: 1 }],
    },
  ])
  expect(await medians(server, '&from=2026-01-02')).toMatchObject([{ values: [{ value: 4.25e9 }] }])
  const backwards = '/api/calibration/medians?qpu=north&from=2026-01-02&to=2026-01-01'
  expect((await server.admin.get(backwards)).status).toBe(400)
})

test('a removed report takes its values out of the history', async () => {
  const { server, first } = await openWithReports()
  await using _ = server
  expect(
    (await server.admin.call('DELETE', `/api/collections/calibration_results/records/${first}`)).status,
  ).toBe(204)
  const { values } = await history(server, 'qpu=north&element=q0&parameter=clock_freqs.f01')
  expect(values.map(({ value }) => value)).toEqual([4.2e9])
  expect(await medians(server)).toMatchObject([{ parameter: 'clock_freqs.f01', values: [{ value: 4.2e9 }] }])
})

test('a report of any shape is read, a large one as well', async () => {
  await using server = await openTestServer()
  const { id: qpu } = await server.createQpu('north')
  const odd = [
    { status: 'success', parameters: { t1: { value: 5 } }, fidelity: 1 },
    { ...success('q0', { t1: { value: 5 } }), target: 5 },
    null,
    1,
    'text',
    [],
    {},
    { status: 'success' },
    success('q0', { a: 5, b: { value: null } }),
  ]
  await addReport(server.db, { qpu, finished_at: '2026-01-01 10:00:00.000Z', routines: odd, benchmarks: odd })
  await addReport(server.db, { qpu, finished_at: '2026-01-01 10:00:00.000Z' })
  const many = Array.from({ length: 3_000 }, (_, i) => success(`q${i}`, { t1: { value: i, unit: 's' } }))
  await addReport(server.db, { qpu, finished_at: '2026-01-02 10:00:00.000Z', routines: many })
  await untilStored(server.db)
  const { medians } = (await server.guest.get('/api/qpus/north')).get('calibration') as {
    medians: Record<string, { value: number; count: number }>
  }
  expect(medians).toMatchObject({ t1: { value: 1_499.5, count: 3_000 } })
})

test('the range and the QPU of a history are checked', async () => {
  await using server = await openTestServer()
  await server.createQpu('north')
  for (const [query, status] of [
    ['qpu=south&element=q0&parameter=t1', 404],
    ['qpu=north&element=q0', 400],
    ['qpu=north&element=q0&parameter=t1&limit=5001', 400],
    ['qpu=north&element=q0&parameter=t1&from=2026-02-01&to=2026-01-01', 400],
  ] as const) {
    expect([query, (await server.admin.get(`/api/calibration/history?${query}`)).status]).toEqual([
      query,
      status,
    ])
  }
})

test('an error that is only known to be below a bound is no value, and ends the newest one', async () => {
  const server = await openTestServer()
  const { id: qpu } = await server.createQpu('north')
  const gate = { protocol: 'cz_rb', target: 'q0_q1' }
  await addReport(server.db, {
    ...{ qpu, finished_at: '2026-01-01 10:00:00.000Z' },
    benchmarks: [{ ...gate, fidelity: 0.98, fidelity_error: 0.001 }],
    routines: [
      { ...success('q0', { 'coherence.t1': { value: 23e-6, unit: 's' } }), superseded: true },
      success('q0', { 'coherence.t1': { value: 43e-6, unit: 's' } }),
    ],
  })
  await untilStored(server.db)
  const latest = async () => {
    const { body } = await server.admin.get('/api/calibration/values?qpu=north')
    return (body as { values: Value[] }).values.map(({ parameter, value }) => [parameter, value])
  }
  // A value that was measured again at another operating point is in neither table.
  expect(await latest()).toEqual([
    ['coherence.t1', 43e-6],
    ['cz_rb.fidelity', 0.98],
  ])
  await addReport(server.db, {
    ...{ qpu, finished_at: '2026-01-02 10:00:00.000Z' },
    benchmarks: [{ ...gate, fidelity: null, error: null, upper_bound: { error: 2e-5, confidence: 0.95 } }],
  })
  await untilStored(server.db)
  expect(await latest()).toEqual([['coherence.t1', 43e-6]])
  const { values } = await history(server, 'qpu=north&element=q0_q1&parameter=cz_rb.fidelity&from=2026-01-01')
  expect(values.map(({ value }) => value)).toEqual([0.98])
  const [known] = await server.db.read((tx) =>
    tx.all<{ fidelities: string }>('SELECT fidelities FROM qpu_descriptions WHERE qpu = $qpu', { qpu }),
  )
  const { protocol, target } = gate
  expect(JSON.parse(known?.fidelities ?? '')).toEqual([
    { protocol, target, fidelity: 1 - 2e-5, at: '2026-01-02 10:00:00.000Z' },
  ])
})
