import { expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../../src/base/index.ts'
import { openCouplers, restoreCouplers } from '../../../../src/devices/bench/current/open-couplers.ts'
import { createHeldCurrents } from '../../../../src/devices/bench/simulated/held-currents.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import type { CouplerMover } from '../../../../src/devices/tuning/walk/run-currents.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { eagerClock } from '../support/eager-clock.ts'

const FILE = `
q0: {element_type: {path: svc.elements.BasicTransmonElement, args: [q0]}}
q1: {element_type: {path: svc.elements.BasicTransmonElement, args: [q1]}}
q0_q1:
  element_type: {path: svc.elements.FluxTunableCoupler, kwargs: {parent_element_name: q0, child_element_name: q1}}
  bias: {source: spi, spi_module: 2, spi_output: 0}
`
const file = readDeviceFile(FILE)
if ('problems' in file) throw new Error(file.problems.join('\n'))
const { edges } = file.chip

test('a run that ends without restoring is followed by one that does so first, and says it', async () => {
  using folder = temporaryFolder()
  const journal = join(folder.path, 'bias.journal.json')
  const simulated = createHeldCurrents(new Map([['q0_q1', 0.2e-3]]))
  const options = { dataDir: folder.path, clock: eagerClock(), log: silentLog }
  const first = await openCouplers(edges, { ...options, simulated })
  const mover: CouplerMover | undefined = first.currents
  await mover?.park(new Map([['q0_q1', 0.3e-3]]), { run: 'run1' })
  expect(existsSync(journal)).toBe(true)
  // The simulated journal is not that of a rack: no other source restores it.
  expect(restoreCouplers({ ...options, spiRackAddress: 'tcp://127.0.0.1:1' })).rejects.toThrow(
    'the currents of q0_q1 are still changed by run run1 and cannot be restored: no simulated chip is open',
  )
  const second = await openCouplers(edges, { ...options, simulated })
  expect(second.notes).toHaveLength(1)
  expect(second.notes[0]).toContain('run run1 of 1970-01-01T00:00:00')
  expect(second.notes[0]).toEndWith('it is back at 0.2000 mA')
  expect(simulated.heldIn('q0_q1')).toBe(0.2e-3)
  expect(existsSync(journal)).toBe(false)
  expect(await restoreCouplers({ ...options, simulated })).toEqual([])
})

test('a coupler whose parking current was written before the end of the process stays parked', async () => {
  using folder = temporaryFolder()
  const devicePath = join(folder.path, 'scheduler.device.yml')
  const options = { dataDir: folder.path, clock: eagerClock(), log: silentLog }
  const written = FILE.replace('spi_output: 0', 'spi_output: 0, parking_current: 3.0004e-4')
  const ends = [
    { text: written, held: 0.3e-3, note: 'the device file has the new one, 0.3000 mA' },
    { text: FILE, held: 0.2e-3, note: 'it is back at 0.2000 mA' },
    { text: written.replace('3.0004e-4', '2.0e-4'), held: 0.2e-3, note: 'it is back at 0.2000 mA' },
    { text: `${written}: :`, held: 0.2e-3, note: 'it is back at 0.2000 mA' },
    { text: undefined, held: 0.2e-3, note: 'it is back at 0.2000 mA' },
  ]
  for (const { text, held, note } of ends) {
    rmSync(devicePath, { force: true })
    const simulated = createHeldCurrents(new Map([['q0_q1', 0.2e-3]]))
    const { currents } = await openCouplers(edges, { ...options, simulated })
    const wanted = new Map([['q0_q1', 3.0004e-4]])
    await currents?.park(wanted, { run: 'run1' })
    await currents?.announce(devicePath, wanted)
    if (text !== undefined) writeFileSync(devicePath, text)
    const [restored = ''] = await restoreCouplers({ ...options, simulated })
    expect(restored).toEndWith(note)
    expect(simulated.heldIn('q0_q1')).toBe(held)
    expect(existsSync(join(folder.path, 'bias.journal.json'))).toBe(false)
  }
})

test('without a source the notes say what is missing', async () => {
  using folder = temporaryFolder()
  const options = { dataDir: folder.path, clock: eagerClock(), log: silentLog }
  expect(await openCouplers(edges, options)).toEqual({
    currents: undefined,
    notes: ['no source can hold a parking current: bias.source is spi, and spi_rack_address is not set'],
  })
  expect(await openCouplers([], options)).toEqual({ currents: undefined, notes: [] })
})
