import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '../../../src/base/index.ts'
import { WatchedDeviceFile } from '../../../src/devices/chip/watched-device-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const path = join(folder.path, 'scheduler.device.yml')
let warnings: { text: string; fields: Record<string, unknown> | undefined }[]
const log: Log = {
  ...silentLog,
  warn: (text, fields) => {
    warnings.push({ text, fields })
  },
}

afterAll(() => folder[Symbol.dispose]())
beforeEach(() => {
  warnings = []
})

const qubit = (name: string, rest: string) =>
  `${name}: {element_type: {path: a.BasicTransmonElement}, ${rest}}\n`

/** Replaces the file by another one within the same tick of its clock: only its inode differs. */
function replace(text: string): void {
  writeFileSync(`${path}.new`, text)
  utimesSync(`${path}.new`, 1, 1)
  renameSync(`${path}.new`, path)
}

function amp180Of(file: WatchedDeviceFile, name = 'q0'): unknown {
  const element = file.current.chip.element(name)
  return element?.kind === 'qubit' ? element.get('rxy.amp180') : undefined
}

describe('the device file of a driver', () => {
  test('is read again after a change, even of equal size at the same time', () => {
    replace(qubit('q0', 'rxy: {amp180: 0.1}'))
    const file = new WatchedDeviceFile(path, log)
    const { size, mtimeMs } = statSync(path)
    replace(qubit('q0', 'rxy: {amp180: 0.2}'))
    expect([statSync(path).size, statSync(path).mtimeMs]).toEqual([size, mtimeMs])
    expect(amp180Of(file)).toBe(0.2)
    expect(warnings).toEqual([])
  })

  test('keeps working while it does not parse, with one warning per change', () => {
    replace(qubit('q0', 'rxy: {amp180: 0.1}'))
    const file = new WatchedDeviceFile(path, log)
    replace('q0: [')
    expect([amp180Of(file), amp180Of(file)]).toEqual([0.1, 0.1])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({
      text: 'a changed file is not used',
      fields: { expected: 'a device file', problems: [expect.stringContaining('line 1, column')] },
    })
    rmSync(path)
    expect(amp180Of(file)).toBe(0.1)
    replace(qubit('q0', 'rxy: {amp180: 0.3}'))
    expect(amp180Of(file)).toBe(0.3)
    expect(warnings).toHaveLength(2)
  })

  test('needs a restart for a new element, and uses the rest', () => {
    replace(qubit('q0', 'rxy: {amp180: 0.1}'))
    const file = new WatchedDeviceFile(path, log)
    replace(qubit('q0', 'rxy: {amp180: 0.2}') + qubit('q1', 'rxy: {amp180: 0.3}'))
    expect([amp180Of(file), file.current.chip.qubits.length]).toEqual([0.2, 1])
    expect(warnings).toEqual([
      { text: 'restart the driver to use new elements', fields: { file: path, elements: ['q1'] } },
    ])
    expect(new WatchedDeviceFile(path, log).current.chip.qubits).toHaveLength(2)
  })

  test('keeps an element that vanished', () => {
    replace(qubit('q0', 'rxy: {amp180: 0.1}') + qubit('q1', 'rxy: {amp180: 0.3}'))
    const file = new WatchedDeviceFile(path, log)
    replace(qubit('q0', 'rxy: {amp180: 0.2}'))
    expect([amp180Of(file), amp180Of(file, 'q1')]).toEqual([0.2, 0.3])
    expect(warnings.map(({ fields }) => fields?.['elements'])).toEqual([['q1']])
  })

  test('logs the names that nothing uses', () => {
    replace(qubit('q0', 'rxy: {amp18: 0.1}'))
    new WatchedDeviceFile(path, log)
    expect(warnings).toEqual([
      { text: 'names in a file are not used', fields: { file: path, names: ['q0.rxy.amp18'] } },
    ])
  })

  test('prevents the start while it is invalid or absent', () => {
    replace('q0: {}')
    expect(() => new WatchedDeviceFile(path, log)).toThrow(
      /startup error: .* is not a device file\n {2}line 1, column 5: q0.element_type: missing/,
    )
    rmSync(path)
    expect(() => new WatchedDeviceFile(path, log)).toThrow('there is no such file or folder')
  })
})
