import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type DeviceFile, readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { stampOf } from '../../../../src/devices/chip/files/watched-file.ts'
import { replaceFile } from '../../../../src/devices/chip/write-back/replace-file.ts'
import { type NewValue, writeBack } from '../../../../src/devices/chip/write-back/write-back.ts'
import { createRng } from '../../../../src/devices/index.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary-folder.ts'

const TEXT = `# Chip of the north lab
q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0]}
  rxy: {amp180: 0.1, duration: 20e-9} # tuned by hand
  clock_freqs: {f01: 4.8e9}
q1:
  element_type: {path: svc.elements.BasicTransmonElement, args: [q1]}
`
const VALUES: NewValue[] = [
  { element: 'q0', path: 'rxy.amp180', value: 0.123 },
  { element: 'q0', path: 'coherence.t1', value: 5e-5 },
  {
    element: 'q0',
    path: 'measure_2state.assignment',
    value: [
      [0.98, 0.02],
      [0.04, 0.96],
    ],
  },
]

let folder: TemporaryFolder
let path: string
let base: DeviceFile

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder.path, 'scheduler.device.yml')
  writeFileSync(path, TEXT)
  base = read(TEXT)
})
afterEach(() => folder[Symbol.dispose]())

function read(text: string): DeviceFile {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join())
  return file
}

const content = (name = path) => readFileSync(name, 'utf8')

describe('a write-back', () => {
  test('changes its values alone and keeps the previous file', async () => {
    const { written, conflicts, before, after } = await writeBack(path, base, VALUES)
    expect(content()).toBe(
      TEXT.replace('0.1,', '0.123,').replace(
        '{f01: 4.8e9}\n',
        '{f01: 4.8e9}\n  coherence: {t1: 5.0e-5}\n  measure_2state: {assignment: [[0.98, 0.02], [0.04, 0.96]]}\n',
      ),
    )
    expect(content(`${path}.prev`)).toBe(TEXT)
    expect(written).toEqual(VALUES)
    expect(conflicts).toEqual([])
    expect([before, after].every((hash) => /^[0-9a-f]{64}$/.test(hash)) && before !== after).toBe(true)
    expect(readdirSync(folder.path).sort()).toEqual(['scheduler.device.yml', 'scheduler.device.yml.prev'])
  })

  test('writes nothing, not even a previous file, when there is nothing to write', async () => {
    const { ino } = statSync(path)
    const { before, after } = await writeBack(path, base, [])
    expect(before).toBe(after)
    expect(statSync(path).ino).toBe(ino)
    expect(existsSync(`${path}.prev`)).toBe(false)
  })

  test('keeps what somebody else changed meanwhile, and names the conflict', async () => {
    const theirs = TEXT.replace('0.1,', '0.2,').replace('4.8e9', '4.9e9')
    writeFileSync(path, theirs)
    const { written, conflicts } = await writeBack(path, base, VALUES)
    expect(conflicts.map((each) => each.path)).toEqual(['rxy.amp180'])
    expect(written.map((each) => each.path)).toEqual(['coherence.t1', 'measure_2state.assignment'])
    expect(content()).toStartWith(theirs.slice(0, theirs.indexOf('q1')))
    expect(content()).toContain('t1: 5.0e-5')
    expect(content(`${path}.prev`)).toBe(theirs)
  })

  test('keeps a file whose elements are gone or lost the submodule', async () => {
    writeFileSync(path, TEXT.replace('CalibratedTransmon', 'BasicTransmonElement'))
    expect((await writeBack(path, base, VALUES)).conflicts.map((each) => each.path)).toEqual([
      'coherence.t1',
      'measure_2state.assignment',
    ])
    writeFileSync(path, TEXT.slice(TEXT.indexOf('q1:')))
    expect((await writeBack(path, base, VALUES)).conflicts).toHaveLength(3)
  })

  test('writes into elements of other software what their class knows, by its names', async () => {
    const foreign = TEXT.replaceAll('svc.elements', 'qpi_driver.executors.quantify.elements').concat(
      'q0_q1:\n  element_type: {path: quantify_scheduler.CompositeSquareEdge, args: [q0, q1]}\n',
    )
    writeFileSync(path, foreign)
    const phase: NewValue = { element: 'q0_q1', path: 'cz.child_phase_correction', value: 12.5 }
    const { written, unknown } = await writeBack(path, read(foreign), [...VALUES, phase])
    expect(unknown.map((value) => value.path)).toEqual(['measure_2state.assignment'])
    expect(written.map((value) => value.path)).toEqual([
      'rxy.amp180',
      'coherence.t1',
      'cz.child_phase_correction',
    ])
    expect(content()).toContain('q1_phase_correction: 12.5')
    // A parameter that the file has is written in any case.
    const known = foreign.replace('  clock_freqs', '  coherence: {t2_echo: 1.0e-5}\n  clock_freqs')
    writeFileSync(path, known)
    const echo: NewValue = { element: 'q0', path: 'coherence.t2_echo', value: 2e-5 }
    expect((await writeBack(path, read(known), [echo])).written).toEqual([echo])
  })

  test('writes nothing into a file that does not parse, nor values that do not suit it', async () => {
    writeFileSync(path, 'q0: [')
    await expect(writeBack(path, base, VALUES)).rejects.toThrow(
      'the device file was changed and is not valid; nothing was written: line 1',
    )
    expect(content()).toBe('q0: [')
    writeFileSync(path, TEXT)
    const far = [{ element: 'q0', path: 'clock_freqs.f01', value: 1e15 }]
    await expect(writeBack(path, base, far)).rejects.toThrow('the new values do not suit the device file')
    const none = [{ element: 'q0', path: 'clock_freqs.f01', value: Number.NaN }]
    await expect(writeBack(path, base, none)).rejects.toThrow('NaN cannot be a value in a file')
    expect(content()).toBe(TEXT)
    expect(readdirSync(folder.path)).toEqual(['scheduler.device.yml'])
  })

  test('follows a link and keeps the mode', async () => {
    const link = join(folder.path, 'link.yml')
    symlinkSync('scheduler.device.yml', link)
    chmodSync(path, 0o664)
    await writeBack(link, base, VALUES)
    expect(realpathSync(link)).toBe(realpathSync(path))
    expect(content()).toContain('0.123')
    expect([path, `${path}.prev`].map((each) => statSync(each).mode & 0o777)).toEqual([0o664, 0o664])
  })

  test('replaces only the file that it has read', () => {
    const stamp = stampOf(path)
    writeFileSync(path, 'by somebody else')
    expect(replaceFile(path, 'ours', stamp)).toBe(false)
    expect(content()).toBe('by somebody else')
    expect(readdirSync(folder.path)).toEqual(['scheduler.device.yml'])
  })

  test('leaves a whole file whenever it is killed', async () => {
    const rng = createRng(14)
    const [one, other] = ['old\n', 'new\n'].map((line) => line.repeat(2_000))
    const whole = [one, other]
    writeFileSync(path, one ?? '')
    let replaced = 0
    for (let kill = 0; kill < 12 || replaced === 0; kill++) {
      const writer = Bun.spawn(
        [process.execPath, 'run', join(import.meta.dir, 'replace-in-a-loop.ts'), path, 'new\n', 'old\n'],
        { stdout: 'pipe' },
      )
      await writer.stdout.getReader().read()
      await Bun.sleep(rng.next() * 20)
      writer.kill('SIGKILL')
      await writer.exited
      expect(whole).toContain(content())
      if (existsSync(`${path}.prev`)) {
        expect(whole).toContain(content(`${path}.prev`))
        replaced++
      }
    }
    // The next write removes what killed ones left.
    writeFileSync(path, TEXT)
    await writeBack(path, base, VALUES)
    expect(readdirSync(folder.path).sort()).toEqual(['scheduler.device.yml', 'scheduler.device.yml.prev'])
    rmSync(path)
    await expect(writeBack(path, base, VALUES)).rejects.toThrow(
      'the device file is gone; nothing was written',
    )
  })
})
