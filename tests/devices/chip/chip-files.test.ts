import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '../../../src/base/index.ts'
import { openChipFiles } from '../../../src/devices/chip/chip-files.ts'
import { StartupError } from '../../../src/devices/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const QUBIT = 'q0: {element_type: {path: svc.elements.BasicTransmonElement, args: [q0]}}'
const HARDWARE = {
  config_type: 'QbloxHardwareCompilationConfig',
  hardware_description: {
    cluster0: { instrument_type: 'Cluster', ip: 'dummy', modules: { 2: { instrument_type: 'QCM_RF' } } },
  },
  connectivity: { graph: [['cluster0.module2.complex_output_0', 'q0:mw']] },
}

function written(folder: string, device: string, hardware: unknown): [string, string] {
  const paths: [string, string] = [join(folder, 'device.yml'), join(folder, 'hardware.json')]
  writeFileSync(paths[0], device)
  writeFileSync(paths[1], JSON.stringify(hardware))
  return paths
}

test('the problems of both files are reported at once', () => {
  using folder = temporaryFolder()
  const [device, hardware] = written(folder.path, `${QUBIT.slice(0, -1)}, rxy: {duration: 7}}`, { x: 1 })
  let reasons: readonly string[] = []
  try {
    openChipFiles(device, hardware, silentLog)
  } catch (error) {
    if (error instanceof StartupError) reasons = error.reasons
  }
  expect(reasons[0]).toBe(`startup error: ${device} is not a device file`)
  expect(reasons[1]).toContain('rxy.duration')
  expect(reasons).toContain(`startup error: ${hardware} is not a hardware file`)
  expect(reasons.at(-1)).toContain('connectivity')
})

test('what the chip cannot do on the hardware is logged, and prevents nothing', () => {
  using folder = temporaryFolder()
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (message, fields) => warnings.push([message, fields?.['gates']]) }
  const opened = openChipFiles(...written(folder.path, QUBIT, HARDWARE), log)
  expect(opened.device.current.chip.qubits.map(({ name }) => name)).toEqual(['q0'])
  expect(opened.hardware?.hardware.clusters[0]?.address).toBe('dummy')
  expect(warnings).toEqual([
    [
      'the hardware cannot play some gates',
      [
        'drive of q0 unavailable: q0:mw with q0.01 has neither lo_freq nor interm_freq',
        'readout of q0 unavailable: q0:res not connected',
      ],
    ],
  ])
})
