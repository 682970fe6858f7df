import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileProgram } from '../../../../../src/devices/bench/sequencer/compile/compile-program.ts'
import type { Sequence } from '../../../../../src/devices/bench/sequencer/sequence.ts'
import type { PortName, Program, Schedule } from '../../../../../src/devices/pulse/schedule.ts'
import { checkSequence } from '../../../../support/sequencer/language/check-sequence.ts'
import type { SequencerEvent } from '../../../../support/sequencer/language/emulate.ts'
import { LO, OSCILLATOR, WINDOW_NS } from '../../../../support/sequencer/random-programs.ts'
import { eventsOf, turnsAt } from '../../../../support/sequencer/render.ts'

/** Long enough to prepare registers. */
const RESET_NS = 40_000

/** What changes from point to point: the place on up to two axes. */
interface Point {
  /** Of the drive, of full scale. */
  amplitude?: number
  motzoi?: number
  /** Of the drive beside the oscillator, Hz. */
  driveHz?: number
  /** Of the second drive pulse, rad. */
  phase?: number
  /** Between both drive pulses, ns. */
  delay?: number
  /** Of the readout beside the oscillator, Hz. */
  readoutHz?: number
  /** Of the flux pulse, of full scale. */
  flux?: number
}

function scheduleOf(point: Point): Schedule {
  const { amplitude = 0.2, motzoi = 0.1, driveHz = 80e6, phase = 0 } = point
  const { delay = 40, readoutHz = 120e6, flux } = point
  const drive = { duration: 40, port: 'q0:mw', frequency: LO + driveHz, amplitude } as const
  const envelope = { shape: 'gaussian', motzoi } as const
  const second = 40 + delay
  const read = second + 60 + (flux === undefined ? 0 : 200)
  const frequency = LO + readoutHz
  return {
    duration: read + 1_300,
    pulses: [
      { ...drive, at: 0, phase: 0, envelope },
      { ...drive, at: second, phase, envelope },
      ...(flux === undefined
        ? []
        : [
            {
              ...({ at: second + 50, duration: 180, port: 'q0_q1:fl', frequency: 0, phase: 0 } as const),
              ...{ amplitude: flux, envelope: { shape: 'square' } as const },
            },
          ]),
      {
        ...({ at: read, duration: 1_000, port: 'q0:res', frequency, phase: 0, amplitude: 0.3 } as const),
        envelope: { shape: 'square' },
      },
    ],
    acquisitions: [{ at: read + 100, duration: WINDOW_NS, port: 'q0:res', frequency, qubit: 'q0' }],
  }
}

function programOf(points: readonly Point[], kind: 'average' | 'shots' = 'average'): Program {
  return { kind, shots: 2, reset_ns: RESET_NS, points: points.map(scheduleOf) }
}

function sequencesOf(program: Program): Map<PortName, Sequence> {
  const [run, ...others] = compileProgram(program, OSCILLATOR)
  if (!run || others.length > 0) throw new Error('one run is expected')
  for (const [port, { sequence }] of run.ports) {
    expect(checkSequence(sequence, OSCILLATOR.memory(port))).toEqual([])
  }
  return new Map([...run.ports].map(([port, { sequence }]) => [port, sequence]))
}

/** What events do, without what does not show: gains matter to `play` only, which names its samples. */
function meaningOf(event: SequencerEvent, { waveforms }: Sequence) {
  const { output, t } = event
  const turns = turnsAt(output, t)
  const samples = new Map(Object.values(waveforms).map(({ index, data }) => [index, data]))
  return {
    ...{ kind: event.kind, t, offset: output.offset, hz: event.kind === 'update' ? 0 : output.hz },
    turns: event.kind === 'update' ? 0 : turns - Math.floor(turns),
    gain: event.kind === 'play' ? output.gain : [],
    samples: event.kind === 'play' ? event.waveforms.map((index) => samples.get(index)) : [],
    bin: event.kind === 'acquire' ? event.bin : 0,
  }
}

/** The time of a repetition of one point and its wait, ns. */
const spanOf = ({ duration }: Schedule) => duration + RESET_NS

type Meaning = ReturnType<typeof meaningOf>

/** What the ports do with every point compiled alone, one after the other. */
function unrolled(program: Program): Map<PortName, Meaning[]> {
  const all = new Map<PortName, Meaning[]>()
  const total = program.points.reduce((sum, point) => sum + spanOf(point), 0)
  let before = 0
  for (const [index, point] of program.points.entries()) {
    const start = before
    const moved = (meaning: Meaning): Meaning => {
      const shot = Math.floor((meaning.t - 4) / spanOf(point))
      const first = program.kind === 'shots' ? shot * program.points.length : 0
      const t = meaning.t + start + shot * (total - spanOf(point))
      return { ...meaning, t, bin: meaning.kind === 'acquire' ? first + index : 0 }
    }
    for (const [port, sequence] of sequencesOf({ ...program, points: [point] })) {
      const own = meaningsOf(sequence).map(moved)
      all.set(port, [...(all.get(port) ?? []), ...own])
    }
    before += spanOf(point)
  }
  for (const list of all.values()) list.sort((one, other) => one.t - other.t)
  return all
}

/** All events but the first, by which the markers take effect. */
function meaningsOf(sequence: Sequence): Meaning[] {
  return eventsOf(sequence)
    .events.slice(1)
    .map((event) => meaningOf(event, sequence))
}

/** Compiles a program and compares what its sequences do with what its points do alone. */
function expectEqual(program: Program): Map<PortName, Sequence> {
  const sequences = sequencesOf(program)
  const wanted = unrolled(program)
  for (const [port, sequence] of sequences) {
    const found = meaningsOf(sequence)
    const list = wanted.get(port) ?? []
    expect(found.length).toBe(list.length)
    for (const [index, { turns, ...rest }] of found.entries()) {
      const { turns: expected = 0, ...others } = list[index] ?? {}
      expect(rest).toEqual(others as typeof rest)
      const difference = turns - expected
      expect(Math.abs(difference - Math.round(difference))).toBeLessThan(1e-8)
    }
  }
  return sequences
}

const linesOf = ({ program }: Sequence) => program.split('\n').length

const range = (count: number, from: number, step: number) =>
  Array.from({ length: count }, (_, index) => from + index * step)

describe('sweeps', () => {
  test.each<[string, readonly Point[]]>([
    ['of an amplitude, whose steps are rounded', range(31, 0.01, 0.0237).map((amplitude) => ({ amplitude }))],
    ['of the derivative, through zero', range(31, -0.5, 1 / 30).map((motzoi) => ({ motzoi }))],
    ['of the frequency of the drive', range(41, -20e6, 1e6).map((driveHz) => ({ driveHz }))],
    ['of a frequency with rounded steps', range(41, 1e6, 12_345.678).map((readoutHz) => ({ readoutHz }))],
    ['of a delay', range(41, 20, 36).map((delay) => ({ delay }))],
    ['of a delay and a phase', range(41, 20, 36).map((delay) => ({ delay, phase: 1 + delay / 77 }))],
    ['of the offset of a flux pulse', range(41, 0.1, 0.0111).map((flux) => ({ flux }))],
    [
      'of two axes',
      range(12, 0.1, 0.05).flatMap((flux) => range(15, 20, 20).map((delay) => ({ flux, delay }))),
    ],
    [
      'of two axes with references at the end',
      [
        ...range(9, -8e6, 2e6).flatMap((driveHz) =>
          range(11, 0.05, 0.08).map((amplitude) => ({ driveHz, amplitude })),
        ),
        { amplitude: 0 },
        { amplitude: 0.5 },
      ],
    ],
  ])('%s: the loop plays what the points alone play', (_, points) => {
    const sequences = expectEqual(programOf(points))
    for (const sequence of sequences.values()) expect(linesOf(sequence)).toBeLessThan(120)
  })

  test('shots are counted through all passages', () => {
    const points = range(20, 20, 36).map((delay) => ({ delay }))
    const sequence = expectEqual(programOf(points, 'shots')).get('q0:res')
    expect(sequence && linesOf(sequence)).toBeLessThan(50)
  })

  test('any points play the same as alone', () => {
    const point = fc.record({
      amplitude: fc.constantFrom(0, 0.1, 0.2, 0.3),
      phase: fc.constantFrom(0, 0.5, 1, 3),
      delay: fc.constantFrom(4, 8, 12, 20, 40),
      driveHz: fc.constantFrom(-1e6, 0, 1e6, 2e6),
    })
    const axis = fc.array(point, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        fc.array(axis, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        (parts, times) => {
          expectEqual(programOf(parts.flatMap((part) => Array<Point[]>(times).fill(part).flat())))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('without time to prepare registers there are none', () => {
    const program = programOf(range(31, 20, 36).map((delay) => ({ delay })))
    const [run] = compileProgram({ ...program, reset_ns: 100 }, OSCILLATOR)
    const sequence = run?.ports.get('q0:mw')?.sequence
    expect(sequence?.program).not.toContain('R3')
    expect(sequence && linesOf(sequence)).toBeGreaterThan(31 * 5)
  })

  test('a sweep of thousands of points is one run', () => {
    const runs = [
      ...compileProgram(programOf(range(3_000, -150e6, 100e3).map((driveHz) => ({ driveHz }))), OSCILLATOR),
    ]
    expect(runs.map(({ ports }) => ports.get('q0:res')?.placements.length)).toEqual([3_000])
  })
})
