import { expect, test } from 'bun:test'
import { systemClock } from '../../../../../src/base/index.ts'
import { ramp } from '../../../../../src/devices/bench/current/ramp.ts'
import { rackAt } from '../../../../../src/devices/bench/current/spi/controller.ts'
import { openS4gOutput } from '../../../../../src/devices/bench/current/spi/s4g-output.ts'
import { SpiRack } from '../../../../support/spi-rack.ts'

const PLACE = { source: 'spi', module: 5, output: 1 } as const
const MOVE = { rate: 1e-3, clock: systemClock }

async function openLab(preset: { span?: number; amps?: number } = {}, greeting = '') {
  const rack = await SpiRack.start()
  rack.greeting = greeting
  rack.preset(PLACE.module, PLACE.output, preset)
  const controller = rackAt(rack.address, systemClock)
  const output = await openS4gOutput(controller, PLACE)
  return {
    rack,
    output,
    async [Symbol.asyncDispose]() {
      await controller.close()
      await rack[Symbol.asyncDispose]()
    },
  }
}

for (const span of [2, 4]) {
  test(`a locked rack of span ${span} is unlocked for a ramp, and only its output moves`, async () => {
    await using lab = await openLab({ span, amps: 0.1e-3 })
    const held = await ramp(lab.output, -0.01e-3, MOVE)
    expect(held).toBeCloseTo(-0.01e-3, 6)
    expect(lab.rack.current(PLACE.module, PLACE.output)).toBeCloseTo(held, 12)
    expect(await lab.output.read()).toBeCloseTo(held, 12)
    expect(lab.rack.isLocked).toBe(false)
    expect(lab.rack.spanWrites).toBe(0)
    expect(new Set(lab.rack.changes.map(({ module, output }) => `${module}.${output}`))).toEqual(
      new Set(['5.1']),
    )
    for (const { from, to } of lab.rack.changes) expect(Math.abs(to - from)).toBeLessThanOrEqual(1e-6)
  })
}

test('a greeting of the serial server is no reply of the rack', async () => {
  await using lab = await openLab({ amps: 0.1e-3 }, 'OK\n')
  expect(await lab.output.read()).toBeCloseTo(0.1e-3, 6)
})

test('a lost connection ends a ramp, and the next one connects again', async () => {
  await using lab = await openLab()
  lab.rack.onTransfer = ({ number }) => (number === 9 ? 'disconnect' : 'serve')
  expect(ramp(lab.output, 10e-6, MOVE)).rejects.toThrow('the connection was closed')
  await ramp(lab.output, 10e-6, MOVE)
  expect(lab.rack.current(PLACE.module, PLACE.output)).toBeCloseTo(10e-6, 6)
})

test('a rack that lost its power takes no current by its new span', async () => {
  await using lab = await openLab()
  await ramp(lab.output, 10e-6, MOVE)
  const changes = lab.rack.changes.length
  lab.rack.powerCycle()
  expect(ramp(lab.output, 20e-6, MOVE)).rejects.toThrow()
  expect(ramp(lab.output, 20e-6, MOVE)).rejects.toThrow('its span changed from 2 to 0')
  expect(lab.rack.changes).toHaveLength(changes)
  expect(lab.rack.isLocked).toBe(true)
})

test('a second client is refused while another one uses the rack', async () => {
  await using lab = await openLab()
  const second = rackAt(lab.rack.address, systemClock)
  expect(second.open()).rejects.toThrow('another program uses the rack')
  expect(await lab.output.read()).toBe(0)
})
