import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/index.ts'
import { startSimulatedFridge } from '../../../src/devices/index.ts'
import { calibrationFindings, calibrationSteps } from '../../support/calibration/report.ts'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Account } from '../lab.ts'
import { writeChip } from './chip-file.ts'
import { pastCalibrations } from './past-calibrations.ts'
import { ENDLESS, fourier, ghz, ROTATION, uniform } from './programs.ts'
import { CHANNELS, COLD_AFTER_H, seedReadings } from './readings.ts'

/** Somebody with an account. */
export interface Person extends Account {
  id: string
  token: string
}

/** A laboratory in the middle of a working day. */
export interface Stage {
  service: Service
  url: string
  superuser: Account & { id: string; token: string }
  /** The user whose pages are shown. */
  user: Person
  others: Person[]
  /** Ids of the QPUs. */
  qpus: Record<'kelvin' | 'boreas' | 'fermi' | 'halcyon' | 'noether', string>
  /** Jobs of the user by what is special about them. */
  jobs: Record<'bell' | 'many' | 'sweep' | 'iq' | 'failed' | 'waiting' | 'cancelled', string>
  /** Ids of the monitor and of the tuner. */
  monitor: string
  tuner: string
  /** Date of the first slot of the user, which may be in the week after that of now. */
  firstSlot: string
  /** A calibration that has ended, its report, one that runs, and reports of the last weeks. */
  calibration: { done: string; report: string; running: string; past: string[] }
  /** Secrets of links to a job and a report. */
  shared: Record<'job' | 'report', string>
  close(): Promise<void>
}

const SUPERUSER = { email: 'admin@example.org', password: 'a long password' }
const PASSWORD = 'a password of the laboratory'
const NAMES = ['lindqvist', 'osei', 'marchetti', 'nakamura', 'duarte'] as const
const HOUR = 3_600_000
/** A job on this QPU is still running when the last page is shown. */
const SLOW_S = 600

/**
 * Starts the executable with drivers for a simulated chip, a slow device, a cryostat and a tuner, and with
 * the data of five users. `historyHours` of readings are written before the start.
 */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  await using closing = new AsyncDisposableStack()
  const stage = await build(options, closing)
  const opened = closing.move()
  return { ...stage, close: () => opened.disposeAsync() }
}

interface StageOptions {
  historyHours?: number
  /** Simulated hours for which the cryostat had been cooled before; 0 = the readings begin warm. */
  cooledHours?: number
  /** Additional flags of `svc serve`. */
  flags?: string[]
}

async function build(
  { historyHours = 0, cooledHours = COLD_AFTER_H, flags = [] }: StageOptions,
  closing: AsyncDisposableStack,
): Promise<Omit<Stage, 'close'>> {
  const folder = closing.use(temporaryFolder())
  const serverFlags = ['--allow-signup', '--site-name', 'Aurora quantum', ...flags]
  const service = closing.use(await Service.install(folder.path, { flags: serverFlags }))
  await service.start()
  const token = await service.admin()
  const api = callerOf(service)
  const { record } = await api('POST', '/api/collections/_superusers/auth-with-password', '', {
    identity: SUPERUSER.email,
    password: SUPERUSER.password,
  })
  const people = await Promise.all(NAMES.map((name) => addPerson(api, token, name)))
  const [user, ...others] = people as [Person, ...Person[]]

  const kelvin = await service.createQpu('kelvin_25')
  const boreas = await service.createQpu('boreas_5')
  const fermi = await service.createQpu('fermi_12')
  const halcyon = await service.createQpu('halcyon_2')
  const noether = await service.createQpu('noether_7')
  const cryostat = {
    name: 'kelvin_25_cryostat',
    qpu: kelvin.id,
    operation: 'monitor',
    device: 'cryostat_gen1',
  }
  const monitor = await api('POST', '/api/op/drivers/create', token, cryostat)
  if (historyHours > 0) {
    await service.stop()
    const driver = { ...cryostat, id: monitor['id'] }
    seedReadings(join(folder.path, 'svc_data/svc.db'), driver, historyHours, cooledHours)
    await service.start()
  }

  const drive = (driver: Bun.Subprocess) => closing.defer(() => end(driver))
  const chip = join(folder.path, 'scheduler.device.yml')
  writeChip(chip, 5, 5)
  drive(service.startDriver('kelvin_25', kelvin, 'aer_sim', [`noise=${chip}`, 'seed=7']))
  drive(service.startDriver('boreas_5', boreas, 'mock', [`latency=${SLOW_S}`, `job_timeout=${2 * SLOW_S}`]))
  drive(service.startDriver('fermi_12', fermi))
  drive(service.startDriver('noether_7', noether))
  const fridge = closing.use(
    await startSimulatedFridge({ clock: systemClock, startAt: COLD_AFTER_H * 3_600 }),
  )
  drive(startMonitor(service, kelvin.fingerprint, monitor['token'], fridge.url))
  const script = join(folder.path, 'calibration.json')
  const steps = calibrationSteps('ro_duration_optimization', 'q4')
  writeFileSync(script, JSON.stringify({ steps, findings: calibrationFindings({ dead: 'q4' }) }))
  const tuner = await TunerLab.register(service, fermi, [`script=${script}`])
  closing.use(tuner.start())
  const online = ['kelvin_25', 'boreas_5', 'fermi_12', 'noether_7']
  await Promise.all(online.map((name) => service.untilOnline(name)))

  const ids = { kelvin: kelvin.id, boreas: boreas.id, halcyon: halcyon.id, noether: noether.id }
  const jobs = await addJobs(service, user, others, ids)
  const calibration = await addCalibrations(service, tuner)
  const past: string[] = []
  for (const report of pastCalibrations(kelvin.id, 5, 5)) {
    const { id } = await api('POST', '/api/collections/calibration_results/records', token, report)
    past.push(id)
  }
  await api('PATCH', `/api/collections/qpus/records/${kelvin.id}`, token, {
    device_config: { limits: { readout_fidelity: 0.975, 'cz_rb.fidelity': 0.975 } },
  })
  await addOperations(api, token, { ...ids, monitor: monitor['id'] })
  const firstSlot = await addBookings(api, people, [kelvin.id, noether.id])
  await addRequests(api, token, user, others)
  return {
    service,
    url: service.url,
    superuser: { ...SUPERUSER, id: record.id, token },
    user,
    others,
    qpus: { ...ids, fermi: fermi.id },
    jobs,
    monitor: monitor['id'],
    tuner: tuner.id,
    calibration: { ...calibration, past },
    shared: {
      job: await share(api, user.token, { kind: 'job', record: jobs.bell }),
      report: await share(api, token, { kind: 'report', record: calibration.report }),
    },
    firstSlot,
  }
}

async function end(driver: Bun.Subprocess): Promise<void> {
  driver.kill('SIGKILL')
  await driver.exited
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of many routes, whose fields the caller knows
type Body = Record<string, any>
/** One call that has to succeed. */
type Call = (method: string, path: string, token: string, body?: unknown) => Promise<Body>

function callerOf(service: Service): Call {
  return async (method, path, token, body) => {
    const response = await service.call<Body>(method, path, { ...(token ? { token } : {}), body })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
}

async function addPerson(api: Call, token: string, name: string): Promise<Person> {
  const email = `${name}@example.org`
  const account = { email, password: PASSWORD, passwordConfirm: PASSWORD, username: name, qpu_seconds: 7_200 }
  const { id } = await api('POST', '/api/collections/users/records', token, account)
  const login = { identity: email, password: PASSWORD }
  const { token: own } = await api('POST', '/api/collections/users/auth-with-password', '', login)
  return { id, email, password: PASSWORD, token: own }
}

/** Creates a link; returns its secret. */
async function share(api: Call, token: string, body: object): Promise<string> {
  const { url } = await api('POST', '/api/shares', token, body)
  return String(url).split('/').at(-1) ?? ''
}

function startMonitor(service: Service, fingerprint: string, token: string, url: string): Bun.Subprocess {
  const channels = Object.entries(CHANNELS).map((channel) => channel.join(':'))
  const options = [`channels=${channels.join(',')}`, `base_url=${url}`, 'poll_interval=1']
  const args = service.driverArgs('kelvin_25_cryostat', fingerprint, 'cryostat_gen1', options, 'monitor')
  return Bun.spawn([service.executable, ...args], {
    cwd: service.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: service.folder, SVC_ACCESS_TOKEN: token },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
}

async function addJobs(
  service: Service,
  user: Person,
  others: readonly Person[],
  qpus: Record<'kelvin' | 'boreas' | 'halcyon', string>,
): Promise<Stage['jobs']> {
  const run = (who: Person, body: object) => submit(service, who.token, { qpu_target: qpus.kelvin, ...body })
  const one = (circuit: string) => [{ circuit }]
  for (const [at, other] of others.entries())
    await run(other, { circuits: one(ghz(2 + at)), name: `GHZ on ${2 + at} qubits` })
  const angles = Array.from({ length: 9 }, (_, at) => [(at * Math.PI) / 8])
  const jobs = {
    bell: await run(user, { circuits: one(ghz(2)), name: 'Bell pair', tags: ['demo'], shots: 4_000 }),
    many: await run(user, { circuits: one(uniform(10)), name: 'All outcomes', shots: 4_000 }),
    sweep: await run(user, {
      circuits: [{ circuit: ROTATION, parameter_values: angles, name: 'Rotation' }],
      name: 'Rabi sweep',
      tags: ['calibration', 'q0'],
    }),
    iq: await run(user, {
      circuits: one(ghz(3)),
      name: 'Readout points',
      meas_level: 1,
      meas_return: 'single',
      shots: 500,
    }),
    failed: await run(user, { circuits: one(ENDLESS), name: 'Endless loop', shots: 10 }),
    waiting: await run(user, {
      circuits: one(fourier(4)),
      name: 'Fourier transform',
      qpu_target: qpus.halcyon,
    }),
    cancelled: await run(user, { circuits: one(ghz(3)), qpu_target: qpus.halcyon }),
  }
  await service.call('POST', `/api/jobs/${jobs.cancelled}/cancel`, { token: user.token })
  await submit(service, others[0]?.token ?? '', { qpu_target: qpus.boreas, name: 'Long run' })
  await submit(service, user.token, { qpu_target: qpus.boreas, name: 'After the long run' })
  for (const id of [jobs.bell, jobs.many, jobs.sweep, jobs.iq, jobs.failed])
    await untilJob(service, user.token, id)
  return jobs
}

/** One calibration that has ended, and one that waits for its gate. */
async function addCalibrations(
  service: Service,
  tuner: TunerLab,
): Promise<Omit<Stage['calibration'], 'past'>> {
  tuner.open()
  const done = await tuner.dispatch({ mode: 'partial', target_qubits: ['q0'] })
  const { result: report } = await tuner.until(done, 'done')
  rmSync(join(service.folder, 'gate'))
  const running = await tuner.dispatch({ mode: 'full' })
  await tuner.stepped(running)
  return { done, report, running }
}

async function addOperations(
  api: Call,
  token: string,
  ids: Record<'halcyon' | 'noether' | 'monitor', string>,
): Promise<void> {
  const reason = 'Mixing chamber is being warmed up, back on Monday'
  await api('POST', '/api/op/qpu/maintenance', token, { id: ids.halcyon, maintenance: true, reason })
  await api('POST', '/api/op/qpu/drain', token, {
    id: ids.noether,
    drain: true,
    reason: 'Firmware of the readout',
  })
  const threshold = {
    driver: ids.monitor,
    channel: 'mapper.bf.tmixing',
    unit: 'K',
    kind: 'above',
    limit: 0.02,
  }
  await api('POST', '/api/collections/thresholds/records', token, {
    name: 'Mixing chamber warm',
    ...threshold,
  })
  const notices = [
    [
      'Maintenance of halcyon_2',
      'The mixing chamber is warmed up on **Friday**. Jobs wait and run afterwards.',
    ],
    ['New queue policy', 'From Monday on, users with little QPU time in the last week go first.'],
  ]
  for (const [title, description] of notices) {
    await api('POST', '/api/collections/notifications/records', token, { title, description })
  }
}

/** Slots of everybody on this and the next days, none of which overlap; the date of the first one. */
async function addBookings(api: Call, people: readonly Person[], qpus: readonly string[]): Promise<string> {
  const start = Math.ceil(Date.now() / HOUR) * HOUR
  for (const [at, person] of people.entries()) {
    for (const [day, qpu] of qpus.entries()) {
      const from = start + day * 24 * HOUR + at * 3 * HOUR
      await api('POST', '/api/collections/time_slots/records', person.token, {
        start_time: new Date(from).toISOString(),
        end_time: new Date(from + (1 + (at % 2)) * HOUR).toISOString(),
        qpu,
      })
    }
  }
  return new Date(start).toISOString().slice(0, 10)
}

async function addRequests(api: Call, token: string, user: Person, others: readonly Person[]): Promise<void> {
  const path = '/api/collections/qpu_time_requests/records'
  const ask = (who: Person, seconds: number, requested_reason: string) =>
    api('POST', path, who.token, { seconds, requested_reason })
  const approved = await ask(user, 3_600, 'Characterization of the couplers of kelvin_25')
  await api('PATCH', `${path}/${approved['id']}`, token, { status: 'approved' })
  await ask(user, 7_200, 'Error mitigation for the paper, two more sweeps')
  for (const other of others.slice(0, 2)) await ask(other, 1_800, 'Student project on readout')
  await api('POST', '/api/tokens', user.token, { name: 'notebook', scope: 'submit' })
  await api('POST', '/api/tokens', user.token, { name: 'dashboard in the corridor', scope: 'read' })
}
