import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileProgram } from '../../../../../src/devices/bench/sequencer/compile/compile-program.ts'
import type { CompiledRun } from '../../../../../src/devices/bench/sequencer/compile/compiled-run.ts'
import { envelopeOf } from '../../../../../src/devices/pulse/envelope.ts'
import type { Acquisition, Program, Pulse, Schedule } from '../../../../../src/devices/pulse/schedule.ts'
import { checkSequence } from '../../../../support/sequencer/language/check-sequence.ts'
import {
  LO,
  longResets,
  OSCILLATOR,
  programs,
  WINDOW_NS,
} from '../../../../support/sequencer/random-programs.ts'
import { eventsOf, render, turnsAt } from '../../../../support/sequencer/render.ts'

/** The runs of a program, all of whose sequences a module accepts. */
function runsOf(program: Program): CompiledRun[] {
  const runs = [...compileProgram(program, OSCILLATOR)]
  for (const { ports } of runs) {
    for (const [port, { sequence }] of ports) {
      expect(checkSequence(sequence, OSCILLATOR.memory(port))).toEqual([])
    }
  }
  return runs
}

/** The sample of a schedule's pulse at a time: envelope times carrier, without the local oscillator. */
function sampleOf(pulses: readonly Pulse[], t: number): [number, number] {
  const pulse = pulses.find(({ at, duration }) => t >= at && t < at + duration)
  if (!pulse) return [0, 0]
  const { i, q } = envelopeOf(pulse.envelope, pulse.duration)(t - pulse.at + 0.5)
  const angle = (2 * Math.PI * OSCILLATOR.ncoHz(pulse.port, pulse.frequency) * t) / 1e9 + pulse.phase
  return [
    pulse.amplitude * (i * Math.cos(angle) - q * Math.sin(angle)),
    pulse.amplitude * (i * Math.sin(angle) + q * Math.cos(angle)),
  ]
}

/** Start of each repetition of each point, ns after the synchronization. */
function* startsOf(
  program: Program,
  shots: number,
): Generator<{ schedule: Schedule; point: number; shot: number; start: number }> {
  // The first instruction after the synchronization applies the markers.
  let cursor = 4
  for (let shot = 0; shot < shots; shot++) {
    for (const [point, schedule] of program.points.entries()) {
      cursor += program.reset_ns <= 4 ? 4 : Math.max(8, program.reset_ns)
      yield { schedule, point, shot, start: cursor }
      cursor += schedule.duration
    }
  }
}

describe('compileProgram', () => {
  test('sequencers play the samples of the schedules, ns by ns, and end at the same time', () => {
    fc.assert(
      fc.property(programs('average'), (program) => {
        const sequences = [...(runsOf(program)[0]?.ports ?? [])]
        const ends = sequences.map(([, { sequence }]) => eventsOf(sequence).end)
        expect(new Set(ends).size).toBeLessThanOrEqual(1)
        for (const [port, { sequence }] of sequences) {
          const { i, q } = render(sequence)
          let largest = 0
          for (const { schedule, start } of startsOf(program, program.shots)) {
            const pulses = schedule.pulses.filter((pulse) => pulse.port === port)
            for (let t = 0; t < Math.min(schedule.duration, 2_500); t++) {
              const [a, b] = sampleOf(pulses, t)
              largest = Math.max(
                largest,
                Math.abs((i[start + t] ?? 9) - a),
                Math.abs((q[start + t] ?? 9) - b),
              )
            }
          }
          expect(largest).toBeLessThan(1e-4)
        }
      }),
      { numRuns: 25, seed: 7 },
    )
  })

  test('acquisitions start in their place and phase; every bin is written once a shot', () => {
    fc.assert(
      fc.property(
        fc.oneof(programs('average', longResets), programs('shots'), programs('shots', longResets)),
        (program) => {
          for (const run of runsOf(program)) {
            const readout = run.ports.get('q0:res')
            const placements = readout?.placements ?? []
            const wanted = [...startsOf(program, run.shots)].flatMap(({ schedule, shot, start, point }) =>
              schedule.acquisitions.map(({ at, frequency, phase = 0 }, acquisition) => {
                const index = placements.findIndex(
                  (each) => each.point === point && each.acquisition === acquisition,
                )
                const bin = program.kind === 'shots' ? shot * placements.length + index : index
                const turns = (OSCILLATOR.ncoHz('q0:res', frequency) * at) / 1e9 + phase / (2 * Math.PI)
                return { t: start + at, bin, turns }
              }),
            )
            const events = readout ? eventsOf(readout.sequence).events : []
            const found = events.flatMap((event) =>
              event.kind === 'acquire' ? [{ ...event, turns: turnsAt(event.output, event.t) }] : [],
            )
            expect(found.map(({ t, bin }) => ({ t, bin }))).toEqual(wanted.map(({ t, bin }) => ({ t, bin })))
            for (const [index, { turns }] of found.entries()) {
              const difference = turns - (wanted[index]?.turns ?? Number.NaN)
              expect(Math.abs(difference - Math.round(difference))).toBeLessThan(1e-6)
            }
          }
        },
      ),
      { numRuns: 25, seed: 8 },
    )
  })

  const reading = (duration = WINDOW_NS, qubit = 'q0'): Schedule => ({
    duration: 2_000,
    pulses: [
      {
        at: 0,
        duration: 1_600,
        port: `${qubit}:res`,
        frequency: LO,
        phase: 0,
        amplitude: 0.5,
        envelope: { shape: 'square' },
      },
    ],
    acquisitions: [{ at: 200, duration, port: `${qubit}:res`, qubit, frequency: LO }],
  })
  const many = (count: number, schedule = reading()): Schedule[] => Array(count).fill(schedule)
  const pointsOf = (run: CompiledRun) => run.ports.get('q0:res')?.placements.map(({ point }) => point) ?? []

  test('points that one sequencer does not hold become several runs', () => {
    // Without time to prepare registers, all points are written out.
    const runs = runsOf({ kind: 'average', shots: 10, reset_ns: 100, points: many(2_000) })
    expect(runs.length).toBeGreaterThan(1)
    expect(runs.flatMap(pointsOf)).toEqual([...Array(2_000).keys()])
    expect(runs.map(({ repetitionNs }) => repetitionNs)).toEqual(
      runs.map((run) => pointsOf(run).length * 2_100),
    )
  })

  test('windows of different lengths do not share a run', () => {
    const points = [reading(400), reading(400), reading(404), reading(400)]
    const runs = runsOf({ kind: 'average', shots: 10, reset_ns: 1_000, points })
    expect(runs.map(pointsOf)).toEqual([[0, 1], [2], [3]])
    expect(runs.map(({ ports }) => ports.get('q0:res')?.integrationNs)).toEqual([400, 404, 400])
  })

  test('shots that need more bins than a sequencer holds become several runs', () => {
    const runs = runsOf({ kind: 'shots', shots: 100_000, reset_ns: 1_000, points: many(2) })
    expect(runs.map(({ firstShot, shots }) => [firstShot, shots])).toEqual([
      [0, 65_536],
      [65_536, 34_464],
    ])
  })

  test('more shots of one point than a sequencer holds become several runs', () => {
    const runs = runsOf({ kind: 'shots', shots: 300_000, reset_ns: 1_000, points: many(1) })
    expect(runs.map(({ firstShot, shots }) => [firstShot, shots])).toEqual([
      [0, 131_072],
      [131_072, 131_072],
      [262_144, 37_856],
    ])
  })

  test('a trace is one run a point', () => {
    const runs = runsOf({ kind: 'trace', shots: 10, reset_ns: 1_000, points: many(3) })
    expect(runs.map(pointsOf)).toEqual([[0], [1], [2]])
  })

  test.each([
    [
      'a point of more instructions than a sequencer holds',
      {
        ...reading(),
        duration: 1_000_000,
        pulses: Array.from(
          { length: 10_000 },
          (_, index): Pulse => ({
            ...{
              at: index * 40,
              duration: 20,
              port: 'q0:mw',
              frequency: LO,
              phase: index / 7,
              amplitude: 0.5,
            },
            envelope: { shape: 'gaussian', motzoi: 0 },
          }),
        ),
      },
      'points[0]: 20016 instructions for q0:mw; its sequencer holds 16384',
    ],
    [
      'windows that are too close',
      {
        ...reading(),
        acquisitions: [200, 450].map((at) => ({ ...reading().acquisitions[0], at }) as Acquisition),
      },
      'points[0]: acquisitions of a qubit start at least 300 ns apart',
    ],
    [
      'a window at another frequency than its pulse',
      { ...reading(), acquisitions: [{ ...reading().acquisitions[0], frequency: LO + 1e6 } as Acquisition] },
      'points[0].acquisitions[0]: is demodulated at another frequency or phase than the pulse of its port has',
    ],
  ])('refuses %s', (_, schedule, message) => {
    const program: Program = { kind: 'average', shots: 1, reset_ns: 1_000, points: [schedule] }
    expect(() => runsOf(program)).toThrow(message)
  })
})
