import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { restoreDeviceFile } from '../../../src/devices/chip/restore-device-file.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const TEXT = `q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0]}
`

let folder: TemporaryFolder
let path: string

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder.path, 'scheduler.device.yml')
  writeFileSync(path, `${TEXT}  rxy: {amp180: 0.1}\n`)
  writeFileSync(`${path}.prev`, TEXT)
})
afterEach(() => folder[Symbol.dispose]())

const content = (name = path) => readFileSync(name, 'utf8')
const restore = () => restoreDeviceFile(path, { at: '2026-11-01T00:00:00.000Z', dryRun: false })

test('a restore replaces a file that is not valid, or absent', () => {
  writeFileSync(path, 'q0: [')
  expect(restore().changes).toBeUndefined()
  expect([content(), content(`${path}.prev`)]).toEqual([TEXT, 'q0: ['])
  writeFileSync(`${path}.prev`, TEXT)
  rmSync(path)
  restore()
  expect(content()).toBe(TEXT)
})

test('a restore does nothing when both files are the same', () => {
  writeFileSync(path, TEXT)
  expect(restore().isSame).toBe(true)
})

test('a restore is refused without a previous file, or with one that is not valid', () => {
  const before = content()
  writeFileSync(`${path}.prev`, 'q0: {}')
  expect(restore).toThrow(
    /is not a device file; nothing was changed\n {2}line 1, column 5: q0.element_type: missing/,
  )
  rmSync(`${path}.prev`)
  expect(restore).toThrow('There is no previous file to restore')
  expect(content()).toBe(before)
  expect(existsSync(`${path}.prev`)).toBe(false)
})
