import { expect, test } from 'bun:test'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { readCalibrationConfig } from '../../../../src/devices/tuning/config/read-config.ts'
import { settingsFor } from '../../../../src/devices/tuning/run/settings.ts'

const DEVICE_FILE = ['q0', 'q1']
  .map((name) => `${name}: {element_type: {path: svc.CalibratedTransmon, args: [${name}], kwargs: {}}}\n`)
  .join('')

const CONFIG = `
routines:
  randomized_benchmarking:
    depths: [1, 10, 100]
    seeds: 7
    shots: 250
    targets: {q1: {interleave: x90, seeds: 3}}
`

function settingsOf(mode: 'full' | 'fidelity_check', target: string) {
  const file = readDeviceFile(DEVICE_FILE)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const config = readCalibrationConfig(CONFIG, file.chip)
  if ('problems' in config) throw new Error(config.problems.join('\n'))
  const settings = settingsFor(config, mode, 'randomized_benchmarking', target)
  const { shots, number, choice } = settings
  return [shots, number('seeds'), choice?.('interleave'), settings.axis('depths')?.values]
}

test('settingsFor() takes the settings of a target before those of the routine', () => {
  expect(settingsOf('full', 'q0')).toEqual([250, 7, undefined, [1, 10, 100]])
  expect(settingsOf('full', 'q1')).toEqual([250, 3, 'x90', [1, 10, 100]])
})

test('settingsFor() takes the sizes of a fidelity check from monitoring', () => {
  expect(settingsOf('fidelity_check', 'q1')).toEqual([512, 6, 'x90', [1, 16, 64, 256]])
})
