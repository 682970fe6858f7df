import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { readHardwareFile } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import { linesOfChip } from '../../../../src/devices/chip/hardware/lines-of-chip.ts'
import { calibratedChipOf } from '../../../../src/devices/compiler/schedule/calibrated-chip.ts'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../../../examples/scheduler.hardware.json'), 'utf8')

/** Three qubits: q0 and q1 share the flux line of q0, q1 and q2 have a tunable coupler. */
function chipOf(czHz: number) {
  const qubit = (name: string, more = '') =>
    `${name}: {element_type: {path: a.BasicTransmonElement}, clock_freqs: {f01: 4.4e9, readout: 6.5e9}${more}}`
  const file = readDeviceFile(
    [
      qubit('q0', ', ports: {microwave: "line7:mw", flux: "q0:fl"}'),
      ...[qubit('q1'), qubit('q2')],
      'q0_q1: {element_type: {path: a.CompositeSquareEdge, args: [q0, q1]}}',
      `q1_q2: {element_type: {path: a.FluxTunableCoupler, args: [q1, q2]}, clock_freqs: {cz: ${czHz}}}`,
    ].join('\n'),
  )
  if ('problems' in file) throw new Error(file.problems.join())
  return file.chip
}

function hardware() {
  const text = EXAMPLE.replaceAll('q0:mw', 'line7:mw').replace('"q0_q1:fl"', '"q0:fl"')
  const read = readHardwareFile(text)
  if ('problems' in read) throw new Error(read.problems.join())
  return read
}

test('lines are found on the ports that the device file names', () => {
  const lines = linesOfChip(hardware(), chipOf(350e6))
  expect(lines.channelOf('q0:mw')?.name).toBe('cluster0.module2.complex_output_0')
  expect(lines.settingsOf('q0:mw')?.loHz).toBe(4.35e9)
  expect(lines.channelOf('q1:mw')?.name).toBe('cluster0.module2.complex_output_1')
  expect(lines.inputOf('q0:res')?.name).toBe('cluster0.module5.complex_input_0')
  // The gate of an edge without a tunable coupler is played on the flux line of its parent.
  expect(lines.channelOf('q0_q1:fl')?.name).toBe('cluster0.module6.real_output_0')
  expect(lines.channelOf('q1_q2:fl')?.name).toBe('cluster0.module6.real_output_1')
  expect(lines.channelOf('q7:mw')).toBeUndefined()
})

test('an edge couples its qubits only where its output plays the frequency of its gate', () => {
  const edgesAt = (hz: number) => calibratedChipOf(chipOf(hz), hardware()).coupling.edges
  expect(edgesAt(350e6)).toEqual([
    [0, 1],
    [1, 2],
  ])
  expect(edgesAt(714e6)).toEqual([[0, 1]])
  expect(calibratedChipOf(chipOf(714e6)).coupling.edges).toHaveLength(2)
})
