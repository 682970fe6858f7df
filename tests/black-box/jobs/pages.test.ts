import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

let folder: TemporaryFolder
let service: Service

beforeAll(async () => {
  folder = temporaryFolder()
  service = await Service.install(folder.path)
  await service.start()
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  folder?.[Symbol.dispose]()
})

const get = async <T>(path: string, token?: string): Promise<T> => {
  const { status, body } = await service.call<T>('GET', path, token === undefined ? {} : { token })
  expect([path, status]).toEqual([path, 200])
  return body
}

test('a job appears in the accounting, in the schedule and in the state of its QPU', async () => {
  const qpu = await service.createQpu('kelvin')
  await using _driver = service.startDriver('kelvin', qpu, 'mock')
  const { token, id: user } = await service.createUser(100)
  const from = new Date(Date.now() - 60_000).toISOString()
  const job = await untilJob(service, token, await submit(service, token, { qpu_target: 'kelvin' }))
  expect(job.status).toBe('completed')

  const { items } = await get<{ items: object[] }>('/api/accounting', token)
  expect(items).toMatchObject([
    { user, qpu: qpu.id, qpu_name: 'kelvin', jobs: 1, charged_seconds: job.charged_seconds },
  ])
  const range = new URLSearchParams({ from, to: new Date(Date.now() + 1_000).toISOString(), ticks: '100' })
  const { ticks } = await get<{ ticks: { qpu: string; start: string; end: string }[] }>(
    `/api/schedule?${range}`,
  )
  expect(ticks).toEqual([{ qpu: qpu.id, start: expect.any(String), end: expect.stringMatching(/Z$/) }])
  expect(await get('/api/qpus/kelvin')).toMatchObject({ queue_length: 0, running_job: null, holder: null })
})

test('devices are listed with the options that their drivers accept', async () => {
  const { token } = await service.createUser(1, 'engineer@example.org')
  const devices = await get<{ name: string; options: { key: string; secret: boolean }[] }[]>(
    '/api/devices',
    token,
  )
  const cryostat = devices.find(({ name }) => name === 'cryostat_gen1')
  expect(cryostat?.options).toContainEqual(expect.objectContaining({ key: 'api_key', secret: true }))
})

test('the values of a calibration have a history, medians and newest values, also after a kill', async () => {
  const qpu = await service.createQpu('boreas')
  const tuner = await TunerLab.register(service, qpu)
  await using _tuner = tuner.start()
  const id = await tuner.dispatch()
  tuner.open()
  await tuner.until(id, 'done')
  const token = await service.admin()
  interface Values {
    values: { element: string; parameter: string; value: number; report: string }[]
  }
  const read = () =>
    until('the values to be stored', async () => {
      const { values } = await get<Values>('/api/calibration/values?qpu=boreas', token)
      return values.length > 0 && values
    })
  const [first] = await read()
  const { element = '', parameter = '', value } = first ?? {}
  const query = new URLSearchParams({ qpu: 'boreas', element, parameter })
  const history = () => get<Values>(`/api/calibration/history?${query}`, token)
  expect((await history()).values).toMatchObject([{ value }])
  const calibration = await until('the medians', async () => {
    const seen = await get<{ calibration: object | null }>('/api/qpus/boreas')
    return seen.calibration ?? false
  })
  expect(calibration).toMatchObject({
    report: first?.report,
    medians: { [parameter]: { count: expect.any(Number) } },
  })
  await service.stop('SIGKILL')
  await service.start()
  expect((await history()).values).toMatchObject([{ value }])
})
