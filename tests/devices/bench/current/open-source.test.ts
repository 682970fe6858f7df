import { expect, test } from 'bun:test'
import { systemClock } from '../../../../src/base/index.ts'
import type { CouplerBias, OutputAddress } from '../../../../src/devices/bench/current/coupler-bias.ts'
import { openSource } from '../../../../src/devices/bench/current/open-source.ts'
import { createHeldCurrents } from '../../../../src/devices/bench/simulated/held-currents.ts'
import { SpiRack } from '../../../support/spi-rack.ts'
import { eagerClock } from '../support/eager-clock.ts'

const SPI: OutputAddress = { source: 'spi', module: 2, output: 0 }
const QCM: OutputAddress = { source: 'qcm', module: 6, output: 3, lineResistanceOhm: 1_000 }
const FAST = { rate: 1e-3 }

function couplersAt(...addresses: OutputAddress[]): CouplerBias[] {
  return addresses.map((address, each) => ({ edge: `q${each}_q${each + 1}`, address }))
}

/** A cluster that holds voltages and records what was set. */
function recordedVoltages() {
  const volts = new Map<string, number>()
  const written: string[] = []
  return {
    written,
    readVolts: async (module: number, output: number) => volts.get(`${module}.${output}`) ?? 0,
    async writeVolts(module: number, output: number, value: number) {
      written.push(`${module}.${output} ${value.toFixed(6)}`)
      volts.set(`${module}.${output}`, value)
    },
  }
}

test('one kind of source per chip, and one output per coupler', async () => {
  const clock = systemClock
  expect(openSource(couplersAt(SPI, QCM), { clock })).rejects.toThrow(
    'bias.source of q0_q1 is spi, that of q1_q2 is qcm: one chip uses one kind of current source',
  )
  expect(openSource(couplersAt(SPI, SPI), { clock })).rejects.toThrow(
    'bias of q0_q1 and of q1_q2 name the same output: spi module 2 output 0',
  )
})

test('without a source the reason says what is missing', async () => {
  const clock = systemClock
  const reasonOf = async (couplers: CouplerBias[], address?: string) => {
    const opened = await openSource(couplers, { clock, ...(address && { spiRackAddress: address }) })
    return opened.source ? '' : opened.reason
  }
  expect(await reasonOf([])).toBe('no edge of the device file has a bias')
  expect(await reasonOf(couplersAt(SPI))).toBe('bias.source is spi, and spi_rack_address is not set')
  expect(await reasonOf(couplersAt(QCM))).toBe('bias.source is qcm, and no cluster is connected')
  expect(await reasonOf(couplersAt({ source: 'simulated' }))).toBe('no simulated chip is open')
  expect(await reasonOf(couplersAt(SPI), 'rack')).toContain('"rack" is not the address of an SPI rack')
  expect(await reasonOf(couplersAt(SPI), 'tcp://127.0.0.1:1')).toContain('SPI rack tcp://127.0.0.1:1: ')
  expect(await reasonOf(couplersAt(SPI), '/dev/absent')).toContain(
    'SPI rack /dev/absent: there is no such file or folder',
  )
})

test('the cluster holds amps × line resistance, in steps of its converter', async () => {
  const voltages = recordedVoltages()
  const { source } = await openSource(couplersAt(QCM), { clock: eagerClock(), voltages })
  if (!source) throw new Error('no source')
  expect(source.limit('q0_q1')).toBe(2.5e-3)
  await source.ramp('q0_q1', 2.5e-6, FAST)
  // 76 nA a step of the converter: 12 of them, 0.92 µA, at once.
  expect(voltages.written).toEqual(['6.3 0.000916', '6.3 0.001831', '6.3 0.002518'])
  expect(await source.read('q0_q1')).toBeCloseTo(2.5e-6, 7)
  expect(source.ramp('q0_q1', 2.6e-3, FAST)).rejects.toThrow('2.6000 mA is beyond the limit of 2.5000 mA')
  expect(voltages.written).toHaveLength(3)
})

test('a line of too low a resistance is refused', async () => {
  const voltages = recordedVoltages()
  const { source } = await openSource(couplersAt({ ...QCM, lineResistanceOhm: 50 }), {
    clock: eagerClock(),
    voltages,
  })
  expect(source?.ramp('q0_q1', 1e-4, FAST)).rejects.toThrow('one step of the output is 1.53 µA')
  expect(voltages.written).toEqual([])
})

test('a simulated chip stands for every source', async () => {
  const simulated = createHeldCurrents(new Map([['q0_q1', 1e-4]]))
  const couplers = couplersAt({ source: 'simulated' })
  const { source } = await openSource(couplers, { clock: systemClock, simulated })
  expect(await source?.read('q0_q1')).toBe(1e-4)
})

test('opening a rack writes nothing, and refuses only the outputs that are set up otherwise', async () => {
  await using rack = await SpiRack.start()
  rack.preset(2, 0, { span: 4, amps: 0.4e-3 })
  rack.preset(2, 1, { span: 0 })
  rack.preset(2, 2, { span: 2, amps: 50e-3 })
  rack.preset(2, 3, { span: 2, amps: -0.4e-3 })
  const outputs = [0, 1, 2, 3].map((output): OutputAddress => ({ source: 'spi', module: 2, output }))
  const { source } = await openSource(couplersAt(...outputs), {
    clock: systemClock,
    spiRackAddress: rack.address,
  })
  if (!source) throw new Error('no source')
  expect(await source.read('q0_q1')).toBeCloseTo(0.4e-3, 6)
  expect(await source.read('q3_q4')).toBeCloseTo(-0.4e-3, 6)
  expect(source.read('q1_q2')).rejects.toThrow('spi module 2 output 1: it has span 0, expected 2')
  expect(source.ramp('q2_q3', 0, FAST)).rejects.toThrow('it reads 49.9996 mA, the end of its range')
  expect(rack.changes).toEqual([])
  expect(rack.spanWrites).toBe(0)
  expect(rack.isLocked).toBe(true)
  await source.close?.()
})
