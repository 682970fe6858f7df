import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ChipLab } from '../../support/executable/chip-lab.ts'
import { submit } from '../../support/executable/job-calls.ts'
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

interface Seen {
  num_qubits: number
  described_at: string
  description: { qubits?: object[]; gates?: object[]; limits?: object; calibrated_at?: string } | null
}

async function readQpu(name: string): Promise<Seen> {
  return (await service.call<Seen>('GET', `/api/qpus/${name}`)).body
}

function untilDescribed(name: string, is: (seen: Seen) => boolean): Promise<Seen> {
  return until('the description', async () => {
    const seen = await readQpu(name)
    return is(seen) && seen
  })
}

test('a QPU has the description of its device, until a device without one takes its place', async () => {
  const qpu = await service.createQpu('mocked')
  expect(await readQpu('mocked')).toMatchObject({ num_qubits: 24, description: null })
  const driver = service.startDriver('mocked', qpu, 'mock', ['num_qubits=5', 'readout_error=0.25'])
  const seen = await untilDescribed('mocked', ({ described_at }) => described_at !== '')
  expect(seen.num_qubits).toBe(5)
  expect(seen.description?.qubits).toHaveLength(5)
  expect(seen.description).toMatchObject({ limits: { qubits: 5, shots: 1_000_000, executions: 300 } })
  // Lists do not contain it.
  const list = await service.call<Record<string, unknown>[]>('GET', '/api/qpus')
  expect(Object.keys(list.body[0] ?? {})).not.toContain('description')
  driver.kill('SIGTERM')
  await driver.exited
  // The description outlives the connection.
  expect((await readQpu('mocked')).description).not.toBeNull()
  writeFileSync(
    join(folder.path, 'plain.ts'),
    `import { defineDevice } from 'svc/devices'
     export const plain = defineDevice({ operation: 'process', name: 'plain', create: () => ({ run: async () => { throw new Error('no') } }) })`,
  )
  const other = service.startDriver('mocked', qpu, `${join(folder.path, 'plain.ts')}#plain`)
  const without = await untilDescribed('mocked', ({ description }) => description === null)
  expect(without).toMatchObject({ described_at: '', num_qubits: 5 })
  other.kill('SIGTERM')
  await other.exited
})

test('a new calibration report completes what the device omits, and a change replaces the description', async () => {
  const chip = await ChipLab.register(service, 'kelvin')
  chip.describe({ qubits: [{ name: 'q0' }], gates: [{ name: 'sx', on: [{ qubits: [0] }] }] })
  await using _driver = chip.start()
  const before = await untilDescribed('kelvin', ({ described_at }) => described_at !== '')
  expect(before).toMatchObject({ num_qubits: 1, description: { gates: [{ on: [{ qubits: [0] }] }] } })
  const tuner = await TunerLab.register(service, chip.qpu)
  await using _tuner = tuner.start()
  const id = await tuner.dispatch({ mode: 'partial', target_qubits: ['q0'] })
  tuner.open()
  await tuner.until(id, 'done')
  // The values of a report are stored shortly after the report.
  const after = await untilDescribed('kelvin', ({ description }) => description?.calibrated_at !== undefined)
  expect(after.description?.calibrated_at).toStartWith('20')
  expect(after.description?.gates).toEqual([
    { name: 'sx', on: [{ qubits: [0], error: expect.closeTo(0.0005, 6) }] },
  ])
  // Asked again after each job.
  const user = await service.createUser(100)
  chip.describe({ qubits: [{ name: 'q0' }, { name: 'q1' }] })
  const circuits = [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }]
  await submit(service, user.token, { qpu_target: 'kelvin', circuits })
  await untilDescribed('kelvin', ({ num_qubits }) => num_qubits === 2)
})

test('a description beyond its limits is not sent, and its driver works without', async () => {
  const chip = await ChipLab.register(service, 'vast')
  const pairs = Array.from({ length: 100_000 }, (_, index) => ({ qubits: [index % 1_000, 1] }))
  chip.describe({ gates: [{ name: 'cz', on: pairs }] })
  await using driver = chip.start()
  await service.untilOnline('vast')
  await until('the reason', async () => driver.log.includes('gates.0.on'))
  expect((await readQpu('vast')).description).toBeNull()
})
