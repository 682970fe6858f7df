import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Chip, readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { notesOnPriorValues, priorPathsOf } from '../../../../src/devices/chip/provenance/prior-values.ts'
import {
  type MeasuredValue,
  Provenance,
  provenancePathOf,
} from '../../../../src/devices/chip/provenance/provenance.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary-folder.ts'

const DEVICE = `q0:
  element_type: {path: svc.elements.CalibratedTransmon}
  rxy: {amp180: 0.1}
  clock_freqs: {f01: 4.8123456789e9, readout: 6.5e9}
q1:
  element_type: {path: svc.elements.BasicTransmonElement}
  clock_freqs: {f01: 5.0e9}
`
const PRODUCERS: Record<string, string[]> = {
  'clock_freqs.f01': ['qubit_01_spectroscopy', 'ramsey_correction'],
  'clock_freqs.f12': ['qubit_12_spectroscopy'],
  'coherence.t1': ['t1'],
}
const measuredValue = (
  element: string,
  path: string,
  value: unknown,
  at = '2026-11-01T00:00:00.000Z',
): MeasuredValue => ({
  ...{ element, path, value, at, routine: 'ramsey_correction', run: 'r1', fit: { r2: 0.99 } },
})

let folder: TemporaryFolder
let path: string
let sidecar: string

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder.path, 'scheduler.device.yml')
  writeFileSync(path, DEVICE)
  sidecar = provenancePathOf(path)
})
afterEach(() => folder[Symbol.dispose]())

function chipOf(text = DEVICE): Chip {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join())
  return file.chip
}

const f01 = 4.8123456789e9
const read = () => Provenance.read(path)
const notes = (provenance: Provenance, running: string[], chip = chipOf()) =>
  notesOnPriorValues({
    ...{ chip, provenance, targets: ['q0', 'q1'], runsOn: (routine) => running.includes(routine) },
    producersOf: (each) => PRODUCERS[each] ?? [],
  })

describe('the provenance of a device file', () => {
  test('says which routine measured a value, and holds no values', () => {
    expect(read().originOf('q0', 'clock_freqs.f01', f01)).toBeUndefined()
    read().record([measuredValue('q0', 'clock_freqs.f01', f01)])
    expect(read().originOf('q0', 'clock_freqs.f01', f01)).toMatchObject({
      ...{ routine: 'ramsey_correction', run: 'r1', at: '2026-11-01T00:00:00.000Z', fit: { r2: 0.99 } },
    })
    expect(readFileSync(sidecar, 'utf8')).not.toContain('4812')
    expect(sidecar).toEndWith('/scheduler.device.provenance.yml')
    expect(readdirSync(folder.path)).toHaveLength(2)
  })

  test('keeps other entries byte by byte', () => {
    read().record([measuredValue('q0', 'clock_freqs.f01', f01), measuredValue('q1', 'clock_freqs.f01', 5e9)])
    const before = readFileSync(sidecar, 'utf8').split('\n')
    read().record([measuredValue('q1', 'clock_freqs.f01', 5.1e9, '2026-11-02T00:00:00.000Z')])
    const after = readFileSync(sidecar, 'utf8').split('\n')
    expect(after.filter((line) => !before.includes(line))).toEqual([expect.stringContaining('2026-11-02')])
    expect(after).toHaveLength(before.length)
  })

  test('marks values that a check found stale, until they change, are written or hold again', () => {
    const stale = {
      element: 'q1',
      path: 'clock_freqs.f01',
      value: 5e9,
      routine: 't1',
      run: 'r2',
      at: 'later',
    }
    const staleOf = (value: number) => read().staleOf('q1', 'clock_freqs.f01', value)
    read().record([measuredValue('q0', 'clock_freqs.f01', f01)])
    const before = readFileSync(sidecar, 'utf8')
    const mark = () => read().recordChecks({ stale: [stale], good: [] })
    mark()
    expect(staleOf(5e9)).toMatchObject({ routine: 't1', run: 'r2', at: 'later' })
    expect([staleOf(5.1e9), read().staleOf('q0', 'clock_freqs.f01', f01)]).toEqual([undefined, undefined])
    // It has no origin because of that.
    expect(read().originOf('q1', 'clock_freqs.f01', 5e9)).toBeUndefined()
    read().recordChecks({ stale: [], good: [stale] })
    expect(staleOf(5e9)).toBeUndefined()
    expect(readFileSync(sidecar, 'utf8')).toBe(before)
    mark()
    read().record([measuredValue('q1', 'clock_freqs.f01', 5e9)])
    expect(staleOf(5e9)).toBeUndefined()
    mark()
    expect(staleOf(5e9)).toBeDefined()
    expect(read().originOf('q1', 'clock_freqs.f01', 5e9)?.run).toBe('r1')
  })

  test('has the measured error of a gate as long as its values are the same', () => {
    const text = `${DEVICE}q0_q1:
  element_type: {path: svc.elements.CompositeSquareEdge, args: [q0, q1]}
  cz: {square_amp: 0.5, square_duration: 2.0e-7}
`
    const edgeOf = (from: string) => {
      const [edge] = chipOf(from).edges
      if (!edge) throw new Error('there is no edge')
      return edge
    }
    const edge = edgeOf(text)
    expect(read().gateErrorOf(edge)).toBeUndefined()
    read().record([measuredValue('q0', 'clock_freqs.f01', f01)])
    read().recordGates([
      { element: edge, error: 0.004, routine: 'cz_rb', run: 'r1', at: '2026-11-01T00:00:00.000Z' },
    ])
    expect(read().gateErrorOf(edge)).toBe(0.004)
    expect(read().originOf('q0', 'clock_freqs.f01', f01)).toBeDefined()
    expect(read().gateErrorOf(edgeOf(text.replace('square_amp: 0.5', 'square_amp: 0.51')))).toBeUndefined()
    // The coupler is elsewhere; what else the edge has does not matter.
    expect(read().gateErrorOf(edgeOf(`${text}  bias: {parking_current: 1.0e-3}\n`))).toBeUndefined()
    expect(read().gateErrorOf(edgeOf(`${text}  bias: {limit: 1.0e-3}\n`))).toBe(0.004)
  })

  test('keeps what was recorded since it was read', () => {
    const [one, other] = [read(), read()]
    one.record([measuredValue('q0', 'clock_freqs.f01', f01)])
    other.record([measuredValue('q1', 'clock_freqs.f01', 5e9)])
    expect(read().originOf('q0', 'clock_freqs.f01', f01)).toBeDefined()
  })

  test('writes nothing when nothing was measured', () => {
    read().record([])
    read().recordRestore([{ element: 'q0', path: 'clock_freqs.f01' }], '2026-11-02T00:00:00.000Z')
    expect(existsSync(sidecar)).toBe(false)
  })

  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['truncated', '# x\nq0:\n  clock_freqs.f01: {"routine":"ramsey'],
    ['garbled', '\u0000\u0001\u0002: [[['],
    ['a list', '- 1\n- 2\n'],
    ['about elements that are gone', 'q9:\n  clock_freqs.f01: {routine: a, run: b, at: c, value: d}\n'],
    ['of entries in another form', 'q0: 3\nq1:\n  clock_freqs.f01: ramsey\n'],
  ])('knows nothing when it is %s, and accepts entries again', (_name, text) => {
    if (text === undefined) rmSync(sidecar, { force: true })
    else writeFileSync(sidecar, text)
    expect(read().originOf('q0', 'clock_freqs.f01', f01)).toBeUndefined()
    expect(priorPathsOf(chipOf().qubits[0] as never, read()).map((each) => each.path)).toContain(
      'clock_freqs.f01',
    )
    read().record([measuredValue('q0', 'clock_freqs.f01', f01)])
    expect(read().originOf('q0', 'clock_freqs.f01', f01)?.run).toBe('r1')
  })

  test('counts a value as not measured once it was changed by hand', () => {
    read().record([measuredValue('q0', 'clock_freqs.f01', f01)])
    const edited = chipOf(DEVICE.replace('4.8123456789e9', '4.82e9'))
    expect(read().originOf('q0', 'clock_freqs.f01', 4.82e9)).toBeUndefined()
    expect(notes(read(), ['ramsey_correction'], edited)[0]).toBe(
      'q0: no measurement on record before this run: clock_freqs.f01 (changed by hand)',
    )
    // The same number in another form is the same value.
    const reformatted = chipOf(DEVICE.replace('4.8123456789e9', '4812345678.9')).qubits[0]
    expect(read().originOf('q0', 'clock_freqs.f01', reformatted?.values.get('clock_freqs.f01'))).toBeDefined()
  })

  test('notes one line per target and kind, for parameters that the element has and a routine writes', () => {
    expect(notes(read(), ['qubit_01_spectroscopy', 't1'])).toEqual([
      'q0: no measurement on record before this run: clock_freqs.f01, coherence.t1',
      'q0: no measurement on record, and none by this run either: clock_freqs.f12',
      'q1: no measurement on record before this run: clock_freqs.f01',
      'q1: no measurement on record, and none by this run either: clock_freqs.f12',
    ])
  })

  test('notes a precise number that nobody measured when its producer does not run', () => {
    expect(notes(read(), ['t1'])[1]).toBe(
      'q0: no measurement on record, and none by this run either: clock_freqs.f01, clock_freqs.f12',
    )
  })

  test('never expires', () => {
    read().record([measuredValue('q0', 'clock_freqs.f01', f01, '2001-01-01T00:00:00.000Z')])
    expect(read().originOf('q0', 'clock_freqs.f01', f01)?.at).toBe('2001-01-01T00:00:00.000Z')
  })

  test('notes which values came back from the previous file', () => {
    read().record([measuredValue('q0', 'clock_freqs.f01', f01), measuredValue('q0', 'rxy.amp180', 0.1)])
    read().recordRestore(
      [
        { element: 'q0', path: 'clock_freqs.f01' },
        { element: 'q5', path: 'x.y' },
      ],
      '2026-11-03T00:00:00.000Z',
    )
    const lines = readFileSync(sidecar, 'utf8').split('\n')
    expect(lines.filter((line) => line.includes('"restored":"2026-11-03'))).toEqual([
      expect.stringContaining('clock_freqs.f01'),
    ])
  })
})
