import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { Provenance, provenancePathOf } from '../../../src/devices/chip/provenance/provenance.ts'
import { writeBack } from '../../../src/devices/chip/write-back/write-back.ts'
import { runSvc } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const TEXT = `q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0]}
  clock_freqs: {f01: 4.8e9, readout: 6.5e9}
`

let folder: TemporaryFolder
let path: string

beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder.path, 'scheduler.device.yml')
  writeFileSync(path, TEXT)
  const base = readDeviceFile(TEXT)
  if ('problems' in base) throw new Error(base.problems.join())
  const values = [
    { element: 'q0', path: 'clock_freqs.f01', value: 4.9e9 },
    { element: 'q0', path: 'coherence.t1', value: 5e-5 },
  ]
  await writeBack(path, base, values)
  const origin = { routine: 'ramsey_correction', run: 'r1', at: '2026-11-01T00:00:00.000Z', fit: {} }
  Provenance.read(path).record(values.map((each) => ({ ...each, ...origin })))
})
afterEach(() => folder[Symbol.dispose]())

const restore = (...args: string[]) =>
  runSvc(['driver', 'restore-device-file', ...args], { cwd: folder.path })

const content = (name = path) => readFileSync(name, 'utf8')

describe('svc driver restore-device-file', () => {
  test('puts the previous file back, shows what changed, and undoes it when run again', async () => {
    const calibrated = content()
    chmodSync(path, 0o644)
    const { out, err, status } = await restore('scheduler.device.yml')
    expect({ err, status }).toEqual({ err: '', status: 0 })
    expect(out).toContain('q0 clock_freqs.f01: 4900000000 → 4800000000\n')
    expect(out).toContain('q0 coherence.t1: 0.00005 → none\n')
    expect([content(), content(`${path}.prev`)]).toEqual([TEXT, calibrated])
    expect(statSync(path).mode & 0o777).toBe(0o644)
    // What came back counts as not measured: its hash is not that of the entry, which notes the restore.
    expect(Provenance.read(path).originOf('q0', 'clock_freqs.f01', 4.8e9)).toBeUndefined()
    expect(content(provenancePathOf(path)).match(/"restored":"2\d{3}-/g)).toHaveLength(2)
    const again = await restore(path, '--json')
    expect(JSON.parse(again.out)).toMatchObject({
      ...{ restored: true, previous: `${path}.prev` },
      changes: [
        { element: 'q0', path: 'clock_freqs.f01', from: 4.8e9, to: 4.9e9 },
        { element: 'q0', path: 'coherence.t1', from: null, to: 5e-5 },
      ],
    })
    expect(content()).toBe(calibrated)
    expect(Provenance.read(path).originOf('q0', 'clock_freqs.f01', 4.9e9)?.run).toBe('r1')
  })

  test('--dry-run shows the same and changes nothing', async () => {
    const before = content()
    const { out, status } = await restore(path, '--dry-run')
    expect(status).toBe(0)
    expect(out).toContain('would be restored from scheduler.device.yml.prev\n  q0 clock_freqs.f01')
    expect(content()).toBe(before)
  })

  test('has help', async () => {
    const help = await restore('--help')
    expect(help.out).toContain('FILE')
    expect(help.out).toContain('--dry-run')
  })
})
