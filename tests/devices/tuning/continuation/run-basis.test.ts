import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { runBasis } from '../../../../src/devices/tuning/continuation/run-basis.ts'
import type { TunerOptions } from '../../../../src/devices/tuning/tuner-options.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { DEVICE_FILE } from '../../../support/tuning/calibration-runs.ts'

const FILES = {
  'echo.ts': `import { routine } from './lib/common.ts'\nexport const echo = routine\n`,
  'lib/common.ts': `export * from './shared.ts'\nimport table from './table.json'\nexport const routine = table\n`,
  'lib/shared.ts': `export const cycle = () => import('../echo.ts')\nexport type { Never } from 'svc/devices'\n`,
  'lib/table.json': '[1]',
  'other.ts': 'export const other = 1\n',
}

describe('runBasis()', () => {
  test('follows a routine through all that it imports', () => {
    using folder = temporaryFolder()
    const file = readDeviceFile(DEVICE_FILE)
    if ('problems' in file) throw new Error(file.problems.join())
    const at = (name: string) => join(folder.path, name)
    for (const [name, text] of Object.entries(FILES)) writeIn(at(name), text)
    const basis = () =>
      runBasis({
        file,
        options: { calibration_config: at('calibration.yml') } as TunerOptions,
        modules: ['./echo.ts#echo'],
      })['routines of the calibration file']
    const before = basis()
    for (const [name, text] of Object.entries(FILES)) {
      writeFileSync(at(name), `${text} `)
      if (name === 'other.ts') expect(basis()).toBe(before)
      else expect(basis()).not.toBe(before)
      writeFileSync(at(name), text)
    }
    expect(basis()).toBe(before)
  })
})

function writeIn(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
