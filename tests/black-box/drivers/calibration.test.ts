import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { EventSourceClient } from '../../support/server/event-source.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { RUNS_WHOLE } from '../../support/whole.ts'

setDefaultTimeout(60_000)

/** A server with the QPU `kelvin`, its scripted tuner (not started) and a user. */
async function open(options: string[] = []) {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path)
  await service.start()
  const qpu = await service.createQpu('kelvin')
  const user = await service.createUser(100)
  const tuner = await TunerLab.register(service, qpu, options)
  return {
    service,
    qpu,
    user,
    tuner,
    startQpu: () =>
      startSvc(service.driverArgs('kelvin', qpu.fingerprint, 'mock'), {
        cwd: folder.path,
        env: { SVC_ACCESS_TOKEN: qpu.token },
      }),
    /** The database is intact. */
    async audit(): Promise<void> {
      await service.stop()
      expect(await service.doctor()).toEqual({ status: 0, out: 'svc_data: no problems found\n', err: '' })
    },
    async [Symbol.asyncDispose]() {
      await service.stop('SIGKILL')
      folder[Symbol.dispose]()
    },
  }
}

test('a calibration is followed by stream and request, delays jobs, and its 7 MB are stored byte by byte', async () => {
  const bytes = 7 * 1024 * 1024
  await using lab = await open([`trace_bytes=${bytes}`])
  const { service, tuner, user } = lab
  await using _qpu = lab.startQpu()
  await using _tuner = tuner.start()
  await service.untilOnline('kelvin')
  await using stream = await EventSourceClient.open(`${service.url}/api/realtime`)
  await service.call('POST', '/api/realtime', {
    token: user.token,
    body: { clientId: await stream.clientId(), subscriptions: ['calibration_requests/*'] },
  })
  const id = await tuner.dispatch({ mode: 'partial', target_qubits: ['q0', 'q0_q1'] })
  expect(await tuner.stepped(id)).toMatchObject({
    status: 'running',
    progress: {
      phase: 'routine',
      step: 1,
      total: 1,
      routine: 't1',
      plan: [{ routine: 't1' }],
      trace: { target: 'q0', y: [1, null] },
    },
  })
  const job = await submit(service, user.token)
  const waiting = await until(
    'the job to wait',
    async () => (await readJob(service, user.token, job)).waiting,
  )
  expect(waiting.code).toBe('calibrating')
  tuner.open()
  const { result } = await tuner.until(id, 'done')
  const report = await tuner.report(result)
  expect(report).toMatchObject({ request: id, status: 'success', notes: ['targets q0,q0_q1'] })
  expect(report.routines[0]?.fit.trace === 'µ'.repeat(bytes / 2)).toBe(true)
  expect((await untilJob(service, user.token, job)).status).toBe('completed')
  const statuses = () =>
    (stream.of('calibration_requests/*') as { record: { status: string } }[]).map(
      ({ record }) => record.status,
    )
  await until('the end in the stream', async () => statuses().includes('done'))
  expect([...new Set(statuses())]).toEqual(['pending', 'running', 'done'])
  await lab.audit()
})

test('a run goes on while the server is killed and started again, and its report ends the request', async () => {
  await using lab = await open()
  const { service, tuner } = lab
  await using running = tuner.start()
  const id = await tuner.dispatch()
  await tuner.stepped(id)
  await service.stop('SIGKILL')
  await running.untilLogged('not connected; retrying')
  // It ends while the server is down: the report waits on the tuner's disk.
  tuner.open()
  await running.untilLogged('calibration ended')
  await service.start()
  expect((await tuner.until(id, 'done')).result).not.toBe('')
  expect(await tuner.reported()).toEqual([id])
  await lab.audit()
})

if (RUNS_WHOLE)
  test('a run still goes on after the restart of the server, with its progress', async () => {
    await using lab = await open()
    const { service, tuner } = lab
    await using running = tuner.start()
    const id = await tuner.dispatch()
    await tuner.stepped(id)
    await service.stop('SIGKILL')
    await service.start()
    await until('the tuner to be back', async () => running.log.split('"message":"connected"').length > 2)
    expect((await tuner.request(id)).status).toBe('running')
    tuner.open()
    await tuner.until(id, 'done')
    await lab.audit()
  })

test('the tuner is killed: the request fails when it is back, and the next one runs', async () => {
  await using lab = await open()
  const { tuner } = lab
  await using first = tuner.start()
  const [id, next] = [await tuner.dispatch(), await tuner.dispatch()]
  await tuner.stepped(id)
  first.process.kill('SIGKILL')
  await first.ended()
  expect((await tuner.request(id)).status).toBe('running')
  tuner.open()
  await using _second = tuner.start()
  expect(await tuner.until(id, 'failed')).toMatchObject({
    error: 'The tuner reconnected without it',
    result: '',
  })
  await tuner.until(next, 'done')
  await lab.audit()
})

test('requests wait for a tuner that is offline, and run one after the other when it connects', async () => {
  await using lab = await open()
  const { tuner, service } = lab
  tuner.open()
  const ids = [await tuner.dispatch(), await tuner.dispatch({ mode: 'fidelity_check' })]
  await service.stop()
  await service.start()
  expect((await tuner.request(ids[0] ?? '')).status).toBe('pending')
  await using _running = tuner.start()
  for (const id of ids) await tuner.until(id, 'done')
  expect(await tuner.reported()).toEqual(ids)
  // `done` means that there is a report; the outcome of the calibration is in the report.
  const { result } = await tuner.request(ids[1] ?? '')
  expect(await tuner.report(result)).toMatchObject({
    status: 'failed',
    error: 'calibration.yml line 3: no such routine',
  })
  await lab.audit()
})

test('a request that is given up ends its run; the report is stored, and the next one runs', async () => {
  await using lab = await open()
  const { tuner } = lab
  await using _running = tuner.start()
  const [id, next] = [await tuner.dispatch(), await tuner.dispatch()]
  await tuner.stepped(id)
  await tuner.giveUp(id)
  await tuner.stepped(next)
  tuner.open()
  await tuner.until(next, 'done')
  const given = await tuner.request(id)
  expect(given).toMatchObject({ status: 'failed', error: 'wrong chip' })
  expect((await tuner.report(given.result)).status).toBe('aborted')
  await lab.audit()
})

test("a tuner's own check delays jobs, also over a restart of the server and a reconnect of the tuner", async () => {
  await using lab = await open(['own=true'])
  const { service, tuner, user, qpu } = lab
  const token = await service.admin()
  const setMaintenance = (maintenance: boolean) =>
    service.call('POST', '/api/op/qpu/maintenance', { token, body: { id: qpu.id, maintenance } })
  const state = async () =>
    (await service.call<{ calibrating: boolean; reason: { code: string } | null }>('GET', '/api/qpus/kelvin'))
      .body
  const untilCalibrating = () => until('the QPU to calibrate', async () => (await state()).calibrating)
  expect((await setMaintenance(true)).status).toBe(200)
  await using _qpu = lab.startQpu()
  await using running = tuner.start()
  await running.untilLogged('"message":"connected"')
  await service.untilOnline('kelvin')
  // In maintenance it starts no check.
  expect(running.log).not.toContain('calibration started by the tuner')
  expect((await state()).calibrating).toBe(false)
  expect((await setMaintenance(false)).status).toBe(200)
  await untilCalibrating()
  expect((await state()).reason).toMatchObject({ code: 'calibrating' })
  const job = await submit(service, user.token)
  const isWaiting = () =>
    until('the job to wait for the calibration', async () => {
      const { status, waiting } = await readJob(service, user.token, job)
      return status === 'pending' && waiting?.code === 'calibrating'
    })
  await isWaiting()
  await service.stop('SIGKILL')
  await service.start()
  // The tuner is still away.
  expect((await state()).calibrating).toBe(true)
  await until('the tuner to be back', async () => running.log.split('"message":"connected"').length > 2)
  await service.untilOnline('kelvin')
  await isWaiting()
  const id = await tuner.dispatch()
  expect((await tuner.request(id)).status).toBe('pending')
  tuner.open()
  expect((await untilJob(service, user.token, job)).status).toBe('completed')
  await tuner.until(id, 'done')
  expect(await tuner.reported()).toEqual(['', id])
  expect((await state()).calibrating).toBe(false)
  await lab.audit()
})

if (RUNS_WHOLE)
  test("a killed tuner's own check is over when the tuner is back", async () => {
    await using lab = await open(['own=true'])
    const { service, tuner, user } = lab
    await using _qpu = lab.startQpu()
    await using first = tuner.start()
    await until(
      'the server to know of the run',
      async () => (await service.call<{ calibrating: boolean }>('GET', '/api/qpus/kelvin')).body.calibrating,
    )
    const job = await submit(service, user.token)
    await until(
      'the job to wait',
      async () => (await readJob(service, user.token, job)).waiting?.code === 'calibrating',
    )
    first.process.kill('SIGKILL')
    await first.ended()
    expect((await readJob(service, user.token, job)).status).toBe('pending')
    tuner.open()
    await using _second = tuner.start()
    expect((await untilJob(service, user.token, job)).status).toBe('completed')
    await lab.audit()
  })

if (RUNS_WHOLE)
  test('a device that needs 4 s to restore its hardware gets them when the driver stops, and when it is killed', async () => {
    await using lab = await open()
    const { service, qpu } = lab
    const DEVICE = `${join(import.meta.dir, '../../support/devices/slow-to-close.ts')}#slow`
    const start = (name: string) => {
      const restored = join(service.folder, `restored-${name}`)
      const args = service.driverArgs(name, qpu.fingerprint, DEVICE, [`restored=${restored}`], 'calibrate')
      return {
        restored,
        driver: startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: 'svc_dt_x' } }),
      }
    }
    // The device is open before the driver connects; this token never does.
    const [stopped, killed] = [start('stopped'), start('killed')]
    await using first = stopped.driver
    await using second = killed.driver
    await Promise.all([first.untilLogged('"message":"open"'), second.untilLogged('"message":"open"')])
    first.process.kill('SIGTERM')
    second.process.kill('SIGKILL')
    await until(
      'both devices to be restored',
      () => existsSync(stopped.restored) && existsSync(killed.restored),
    )
    const { log } = await first.ended()
    expect(log).toContain('"message":"device needs longer to close","reason":"ramping coupler q0_q1 back"')
  })
