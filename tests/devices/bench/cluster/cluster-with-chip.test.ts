import { describe, expect, test } from 'bun:test'
import type { Complex, IqArrays } from '../../../../src/devices/bench/instrument.ts'
import type { SimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { AcquisitionKind, Program, Pulse } from '../../../../src/devices/pulse/schedule.ts'
import { EXAMPLE_HARDWARE, openCluster } from '../../../support/cluster/open-cluster.ts'
import { chipSource } from '../../../support/cluster/physical/chip-source.ts'
import { chipOf, quietTruth } from '../../../support/simulated-chip/chips.ts'

const never = new AbortController().signal

const SHOTS = 20

/** What a test needs of the truth to play pulses that do something. */
function tonesOf(chip: SimulatedChip) {
  const { transmons, resonators } = chip.conditions()
  return {
    drive: (qubit: string) => transmons.get(qubit)?.f01 ?? 0,
    rabi: (qubit: string) => transmons.get(qubit)?.rabi ?? 0,
    readout: (qubit: string) => (resonators.get(qubit)?.frequency ?? 0) - 0.5e6,
  }
}

/** Pulses of every shape on two qubits, with phases, long waits and a sweep of the amplitude. */
function program<Kind extends AcquisitionKind>(kind: Kind, chip: SimulatedChip, points = 3): Program<Kind> {
  const { drive, rabi, readout } = tonesOf(chip)
  const qubits = ['q0', 'q1']
  return {
    ...{ kind, shots: SHOTS, reset_ns: 400_000 },
    points: Array.from({ length: points }, (_, point) => {
      const pulses = qubits.flatMap((qubit, index): Pulse[] => {
        const half = 0.5e9 / (0.5 * rabi(qubit) * 40)
        const amplitude = Math.min(0.9, half * (0.4 + 0.3 * point))
        const shaped = { port: `${qubit}:mw` as const, frequency: drive(qubit) }
        const gaussian = { shape: 'gaussian' as const, motzoi: 0.15 }
        return [
          { ...shaped, at: 0, duration: 40, phase: 0.3, amplitude, envelope: gaussian },
          { ...shaped, at: 40, duration: 40, phase: 1.9, amplitude, envelope: gaussian },
          {
            ...{ ...shaped, at: 150 + 7 * point, duration: 220, phase: -0.4, amplitude: amplitude / 8 },
            envelope: { shape: 'soft_square', rise: 20 },
          },
          { ...shaped, at: 500, duration: 30, phase: 2, amplitude, envelope: { shape: 'square' } },
          {
            ...{ at: 600, duration: 2_000, phase: 0.7 * index, amplitude: 0.02, port: `${qubit}:res` },
            ...{ frequency: readout(qubit), envelope: { shape: 'square' } },
          },
        ]
      })
      const acquisitions = qubits.map((qubit, index) => ({
        ...{ at: 800, duration: 1_600, port: `${qubit}:res` as const, qubit },
        ...{ frequency: readout(qubit), phase: 0.7 * index },
      }))
      return { duration: 3_000, pulses, acquisitions }
    }),
  }
}

/** Rounding of gains and offsets to 16 bits: an amplitude of 0.02 is 655 steps. */
const ROUNDING = 2e-3

/** The length of the longest of some complex numbers, and of the longest difference from others. */
function distance(wanted: readonly Complex[], found: readonly (Complex | undefined)[]) {
  const lengths = wanted.map(({ re, im }) => Math.hypot(re, im))
  const differences = wanted.map(({ re, im }, at) =>
    Math.hypot(re - (found[at]?.re ?? Number.NaN), im - (found[at]?.im ?? Number.NaN)),
  )
  return { length: Math.max(...lengths), difference: Math.max(...differences) }
}

function mean({ i, q }: IqArrays): Complex {
  const of = (values: Float64Array) => values.reduce((sum, each) => sum + each, 0) / values.length
  return { re: of(i), im: of(q) }
}

describe.each(['1.0', '1.1'])('a chip at the outputs of the cluster, command set %s', (scpiVersion) => {
  async function run<Kind extends AcquisitionKind>(kind: Kind, points?: number) {
    const truth = quietTruth(2, 3)
    const [{ chip }, { chip: other }] = [chipOf(truth), chipOf(truth)]
    const source = chipSource(chip, EXAMPLE_HARDWARE)
    await using lab = await openCluster(EXAMPLE_HARDWARE, { scpiVersion, source })
    await lab.instrument.open()
    return {
      wanted: await other.run(program(kind, other, points), never),
      found: await lab.instrument.run(program(kind, chip, points), never),
    }
  }

  test('answers as it does when it plays the schedules themselves', async () => {
    const { wanted, found } = await run('average')
    const { length, difference } = distance(wanted.flat(), found.flat())
    expect(difference).toBeLessThan(ROUNDING * length)
    // The points differ by more, or this would show nothing.
    expect(distance(wanted[0] ?? [], found[2] ?? []).difference).toBeGreaterThan(10 * ROUNDING * length)
  })

  test('answers every shot', async () => {
    const { wanted, found } = await run('shots')
    expect(found.flat().map(({ i }) => i.length)).toEqual(wanted.flat().map(() => SHOTS))
    const { length, difference } = distance(wanted.flat().map(mean), found.flat().map(mean))
    expect(difference).toBeLessThan(0.2 * length)
  })

  test('answers every nanosecond of a window', async () => {
    const { wanted, found } = await run('trace', 1)
    for (const [index, trace] of (wanted[0] ?? []).entries()) {
      const other = found[0]?.[index]
      const complex = ({ i, q }: IqArrays) => Array.from(i, (re, at) => ({ re, im: q[at] ?? 0 }))
      const { length, difference } = distance(complex(trace), other ? complex(other) : [])
      // A step of the converter of 12 bits for each path and repetition.
      expect(difference).toBeLessThan(ROUNDING * length + 2 / 2 ** 11 / SHOTS)
    }
  })
})
