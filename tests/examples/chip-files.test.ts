import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chipTruth } from '../../src/devices/bench/simulated/truth/chip-truth.ts'
import { type DeviceFile, readDeviceFile } from '../../src/devices/chip/device-file.ts'
import { EDGE_PARAMETERS } from '../../src/devices/chip/elements/edge-parameters.ts'
import { QUBIT_PARAMETERS } from '../../src/devices/chip/elements/qubit-parameters.ts'
import { unavailableGates } from '../../src/devices/chip/hardware/cross-check.ts'
import { type Hardware, readHardwareFile } from '../../src/devices/chip/hardware/hardware-file.ts'
import { readCalibrationConfig } from '../../src/devices/tuning/config/read-config.ts'
import { ROUTINES, type RoutineDeclaration } from '../../src/devices/tuning/routine-names.ts'

const ROOT = join(import.meta.dir, '../..')
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

function valid<T extends object>(read: T): Exclude<T, { problems: string[] }> {
  if ('problems' in read) throw new Error(String(read.problems))
  return read as Exclude<T, { problems: string[] }>
}

const device = (): DeviceFile => valid(readDeviceFile(textOf('examples/scheduler.device.yml')))
const hardware = (): Hardware => valid(readHardwareFile(textOf('examples/scheduler.hardware.json')))

describe('the example files of a chip', () => {
  test('are a chip of 5 calibrated qubits and 4 couplers, with every name in use', () => {
    const { chip, unrecognized } = device()
    expect(chip.qubits.map(({ name, className }) => `${name} ${className}`)).toEqual(
      [0, 1, 2, 3, 4].map((at) => `q${at} CalibratedTransmon`),
    )
    expect(chip.edges.map(({ name }) => name)).toEqual(['q0_q1', 'q1_q2', 'q2_q3', 'q3_q4'])
    expect(chip.edges.every((edge) => edge.has('bias.parking_current'))).toBe(true)
    expect([unrecognized, hardware().unused]).toEqual([[], []])
  })

  test('have hardware that can play every gate', () => {
    expect(unavailableGates(device().chip, hardware())).toEqual([])
  })

  test('have gaps that a coupler can be driven at, by the frequencies of their qubits', () => {
    const { chip } = device()
    for (const edge of chip.edges) {
      const ends = chip.qubits.filter(({ name }) => [edge.parent, edge.child].includes(name))
      const [lower, upper] = ends.sort(
        (one, other) => (one.get('clock_freqs.f01') ?? 0) - (other.get('clock_freqs.f01') ?? 0),
      )
      const [low = 0, high = 0, high12 = 0] = [
        ...[lower?.get('clock_freqs.f01'), upper?.get('clock_freqs.f01'), upper?.get('clock_freqs.f12')],
      ]
      expect(edge.get('clock_freqs.cz')).toBeCloseTo(high - low + (high12 - high), -3)
    }
  })

  test('have a calibration file without notes', () => {
    const config = valid(readCalibrationConfig(textOf('examples/calibration.yml'), device().chip))
    expect(config.notes).toEqual([])
    expect(config.routines.get('process_tomography')?.enabled).toBe(false)
  })
})

describe('the reference pages', () => {
  test('name every parameter of elements', () => {
    const page = textOf('docs/reference/device-file.md')
    const paths = [...Object.keys(QUBIT_PARAMETERS), ...Object.keys(EDGE_PARAMETERS)]
    expect(paths.filter((path) => !page.includes(`\`${path}\``))).toEqual([])
  })

  test('name every routine with its axes and settings', () => {
    const rows = textOf('docs/reference/calibration-file.md').split('\n')
    const missing = (ROUTINES as readonly RoutineDeclaration[]).flatMap((routine) => {
      const { name, axes, numbers = {}, choices = {} } = routine
      const row = rows.find((each) => each.startsWith('|') && each.includes(`\`${name}\``)) ?? ''
      const keys = [name, ...Object.keys(axes), ...Object.keys(numbers), ...Object.keys(choices)]
      return keys.filter((key) => !row.includes(`\`${key}\``)).map((key) => `${name} ${key}`)
    })
    expect(missing).toEqual([])
  })

  test('name every value of the simulated chip', () => {
    const page = textOf('docs/reference/simulated-chip.md')
    const keysOf = (schema: unknown): string[] => {
      if (typeof schema !== 'object' || schema === null) return []
      const { entries = {}, ...each } = schema as Record<'entries' | 'value' | 'item' | 'wrapped', object> & {
        options?: object[]
      }
      const inner = [each.value, each.item, each.wrapped, ...(each.options ?? []), ...Object.values(entries)]
      return [...Object.keys(entries), ...inner.flatMap(keysOf)]
    }
    const keys = [...new Set(keysOf(chipTruth))]
    expect(keys).toEqual(expect.arrayContaining(['t1', 'pulls', 'flux_leak', 'mirrored', 'sample']))
    expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([])
  })
})
