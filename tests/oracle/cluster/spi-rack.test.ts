import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { systemClock } from '../../../src/base/index.ts'
import { rackAt } from '../../../src/devices/bench/current/spi/controller.ts'
import { openS4gOutput } from '../../../src/devices/bench/current/spi/s4g-output.ts'
import { openClusterPythons } from '../../support/python/python.ts'
import { startPython } from '../../support/python/python-process.ts'
import { SerialPort } from '../../support/serial-port.ts'
import { SpiRack } from '../../support/spi-rack.ts'

setDefaultTimeout(300_000)

const pythons = await openClusterPythons()

const MODULE = 5
/** Full scale of the bipolar spans, A. */
const FULL_SCALE = { 2: 50e-3, 4: 25e-3 }
const STEP = (span: 2 | 4) => (2 * FULL_SCALE[span]) / 2 ** 18

describe.skipIf(!pythons)('spirack, the client of the makers of the rack', () => {
  async function open({ unlocks = true, resets = false } = {}) {
    const rack = await SpiRack.start()
    const port = new SerialPort(rack)
    const { interpreter, paths } = pythons?.['1.4.1'] ?? { interpreter: '', paths: [] }
    const client = startPython(interpreter, join(import.meta.dir, 'spi_rack.py'), paths)
    return {
      rack,
      port,
      client,
      connect: () => client.ask({ ask: 'open', path: port.path, module: MODULE, unlocks, resets }),
      read: (output: number) => client.ask<[amps: number, span: number]>({ ask: 'read', output }),
      async [Symbol.asyncDispose]() {
        await client[Symbol.asyncDispose]()
        port[Symbol.dispose]()
        await rack[Symbol.asyncDispose]()
      },
    }
  }

  test('sets and reads the same currents as the double and our client, with their signs', async () => {
    await using lab = await open()
    const spans = [2, 4] as const
    for (const output of [0, 1, 2, 3]) lab.rack.preset(MODULE, output, { span: 2 })
    await lab.connect()
    const controller = rackAt(lab.rack.address, systemClock)
    const share = fc.double({ min: -0.9, max: 0.9, noNaN: true })
    const cases = fc.tuple(fc.nat({ max: 3 }), fc.constantFrom(...spans), share, share)
    for (const [output, span, first, second] of fc.sample(cases, { numRuns: 20, seed: 4 })) {
      const [theirs, ours] = [first * FULL_SCALE[span], second * FULL_SCALE[span]]
      await lab.client.ask({ ask: 'span', output, span })
      await lab.client.ask({ ask: 'set', output, amps: theirs })
      // A reading also says that what was written before it has arrived.
      const [set] = await lab.read(output)
      expect(set).toBeCloseTo(lab.rack.current(MODULE, output), 12)
      // It rounds down to a step of the converter.
      const step = STEP(span)
      expect(Math.abs(lab.rack.current(MODULE, output) - theirs)).toBeLessThan(1.001 * step)
      const opened = await openS4gOutput(controller, { source: 'spi', module: MODULE, output })
      expect(await opened.read()).toBeCloseTo(lab.rack.current(MODULE, output), 12)
      expect(await opened.write(ours)).toBeCloseTo(lab.rack.current(MODULE, output), 12)
      const [amps, read] = await lab.read(output)
      expect(read).toBe(span)
      expect(amps).toBeCloseTo(lab.rack.current(MODULE, output), 12)
      expect(Math.abs(amps - ours)).toBeLessThan(0.501 * step)
    }
    await controller.close()
    await lab.client.ask({ ask: 'close' })
  })

  test('changes nothing while the rack is locked', async () => {
    await using lab = await open({ unlocks: false, resets: true })
    lab.rack.preset(MODULE, 1, { span: 4, amps: 1e-3 })
    await lab.connect()
    expect((await lab.read(1))[0]).toBeCloseTo(1e-3, 6)
    expect(lab.rack.changes).toEqual([])
    await lab.client.ask({ ask: 'close' })
  })

  test('sets all outputs to 0 in the wide span when it is asked to', async () => {
    await using lab = await open({ resets: true })
    lab.rack.preset(MODULE, 1, { span: 4, amps: 1e-3 })
    await lab.connect()
    for (const output of [0, 1, 2, 3]) expect(await lab.read(output)).toEqual([0, 2])
    expect(lab.rack.current(MODULE, 1)).toBe(0)
    await lab.client.ask({ ask: 'close' })
  })
})
