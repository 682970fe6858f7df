import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSimulatedChip } from '../../../../src/devices/bench/simulated/open-simulated-chip.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const qubit = (name: string, f01: string) => `
${name}:
  element_type: {path: CalibratedTransmon}
  rxy: {amp180: 0.3, duration: 56.0e-9}
  clock_freqs: {f01: ${f01}, f12: .nan, readout: .nan}
`
const EDGE = `
q0_q1:
  element_type: {path: FluxTunableCoupler, kwargs: {parent_element_name: q0, child_element_name: q1}}
  clock_freqs: {cz: .nan}
  bias: {parking_current: 0.7e-3}
`

function chipOf(text: string) {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  return file.chip
}

test('the truth is drawn around the device file, stored, and the same after a restart', async () => {
  using folder = temporaryFolder()
  const dataDir = folder.path
  const chip = chipOf(qubit('q0', '4.5e+9') + qubit('q1', '.nan') + EDGE)
  const clock = new FakeClock()
  const first = await openSimulatedChip({ chip, dataDir, clock, seed: 7 })
  expect(await first.currents.read('q0_q1')).toBe(0.7e-3)
  const path = join(dataDir, 'simulated.chip.yml')
  const text = await Bun.file(path).text()
  const f01 = Number(/f01: (\d+)/.exec(text)?.[1])
  expect(Math.abs(f01 - 4.5e9)).toBeLessThan(12e6)
  await openSimulatedChip({ chip, dataDir, clock, seed: 8 })
  expect(await Bun.file(path).text()).toBe(text)
  using other = temporaryFolder()
  const hard = other.path
  await openSimulatedChip({ chip, dataDir: hard, clock, seed: 7, bringUp: 'hard' })
  expect(await Bun.file(join(hard, 'simulated.chip.yml')).text()).not.toBe(text)
})

test('a stored chip that is invalid or lacks an element names what is wrong', async () => {
  using folder = temporaryFolder()
  const dataDir = folder.path
  const path = join(dataDir, 'simulated.chip.yml')
  const clock = new FakeClock()
  const open = (text: string) => openSimulatedChip({ chip: chipOf(text), dataDir, clock, seed: 7 })
  await open(qubit('q0', '.nan'))
  expect(open(qubit('q0', '.nan') + qubit('q5', '.nan'))).rejects.toThrow('the simulated chip has no q5')
  const text = await Bun.file(path).text()
  await Bun.write(path, text.replace(/thermal: .*/, 'thermal: 3'))
  expect(open(qubit('q0', '.nan'))).rejects.toThrow('simulated.chip.yml: qubits.q0.thermal:')
  await Bun.write(path, text.replace('line: line_0', 'line: line_9'))
  expect(open(qubit('q0', '.nan'))).rejects.toThrow(
    'qubits.q0.readout.line: no readout line is called line_9',
  )
  await Bun.write(path, 'qubits: [')
  expect(open(qubit('q0', '.nan'))).rejects.toThrow('simulated.chip.yml: ')
})
