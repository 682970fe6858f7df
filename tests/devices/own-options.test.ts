import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineDevice, opt, type ResolvedDevice, readOptions } from '../../src/devices/index.ts'
import { schedulerA } from '../../src/devices/process/scheduler_a/index.ts'
import { schedulerB } from '../../src/devices/process/scheduler_b/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const qpu = defineDevice({
  operation: 'process',
  name: 'qpu',
  create: () => ({ run: () => Promise.reject(new Error('not run')) }),
})

function read(device: ResolvedDevice, pairs: string[]) {
  return readOptions({ device, pairs, cwd: tmpdir(), home: tmpdir(), dataDir: './data' })
}

test('readOptions() refuses a key that an imported device does not declare, if it says so', () => {
  const own = { name: 'own', operation: 'process', create: qpu.create } as const
  const device = (def: object): ResolvedDevice => ({
    def: { ...own, options: { seed: opt.int({ help: 'Seed' }) }, ...def },
    label: 'own:Own',
    imported: true,
  })
  expect(() => read(device({ takesAnyOption: false }), ['sed=1'])).toThrow(
    'unknown option sed for process device own\n  did you mean seed? known options: data_dir, job_timeout, seed',
  )
  for (const def of [{}, { takesAnyOption: true }])
    expect(read(device(def), ['sed=1', 'seed=2'])).toMatchObject({ options: { seed: 2 }, raw: { sed: '1' } })
})

test('readOptions() takes the time limit of the device, unless an option says otherwise', () => {
  const device = (jobTimeout?: number): ResolvedDevice => ({
    def: { ...qpu, jobTimeout },
    label: 'qpu',
    imported: false,
  })
  expect(read(device(), []).jobTimeoutMs).toBe(10_000)
  expect(read(device(120), []).jobTimeoutMs).toBe(120_000)
  expect(read(device(120), ['job_timeout=3']).jobTimeoutMs).toBe(3_000)
})

test('readOptions() gives a simulated chip time to calculate what hardware plays in a moment', () => {
  using folder = temporaryFolder()
  const limitAt = (ip: string, ...more: string[]) => {
    const hardware = join(folder.path, 'hardware.json')
    writeFileSync(hardware, JSON.stringify({ hardware_description: { cluster0: { ip } } }))
    const pairs = [`scheduler_device_config=${hardware}`, `scheduler_hardware_config=${hardware}`, ...more]
    return [schedulerA, schedulerB].map(
      (def) => read({ def, label: def.name, imported: false }, pairs).jobTimeoutMs,
    )
  }
  expect(limitAt('10.0.0.7')).toEqual([10_000, 10_000])
  expect(limitAt('sim:simulated.chip.yml')).toEqual([600_000, 600_000])
  expect(limitAt('sim:simulated.chip.yml', 'job_timeout=3')).toEqual([3_000, 3_000])
})
