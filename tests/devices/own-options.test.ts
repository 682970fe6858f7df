import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { defineDevice, opt, type ResolvedDevice, readOptions } from '../../src/devices/index.ts'

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
