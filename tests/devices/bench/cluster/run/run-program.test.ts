import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { silentLog, systemClock } from '../../../../../src/base/index.ts'
import { ClusterInstrument } from '../../../../../src/devices/bench/cluster/cluster-instrument.ts'
import { readHardwareFile } from '../../../../../src/devices/chip/hardware/hardware-file.ts'
import type { AcquisitionKind, Program, Schedule } from '../../../../../src/devices/pulse/schedule.ts'
import { FakeCluster } from '../../../../support/cluster/fake-cluster.ts'
import type {
  AcquisitionSource,
  PlayedSequencer,
  Recording,
} from '../../../../support/cluster/run/played-run.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const read = readHardwareFile(
  readFileSync(join(import.meta.dir, '../../../../../examples/scheduler.hardware.json'), 'utf8'),
)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const hardware = read
const modules = hardware.clusters[0]?.modules ?? new Map()

const NEVER = new AbortController().signal
const WINDOW_NS = 400

async function open(scpiVersion: string, source: AcquisitionSource) {
  const cluster = await FakeCluster.start({ modules, scpiVersion, source })
  const instrument = new ClusterInstrument({
    ...{ hardware, name: 'cluster0', modules, user: 'test', address: cluster.address },
    ...{ clock: systemClock, log: silentLog, lockFolder: folder.path },
  })
  return {
    cluster,
    instrument,
    async [Symbol.asyncDispose]() {
      await instrument.close()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** What a qubit returns at an acquisition of a repetition: values that no other place has. */
const signalOf = (sequencer: number, acquisition: number, repetition: number) =>
  0.1 * sequencer + 0.01 * acquisition + 0.0001 * repetition - 0.2

/** Signals that name their place. */
const named: AcquisitionSource = {
  async record({ sequencers }) {
    const recordings = (played: PlayedSequencer): Recording[] =>
      played.binSteps.map((step, acquisition) => {
        const values = (sign: number) =>
          Float64Array.from(
            { length: step === 0 ? 1 : played.repetitions },
            (_, repetition) => sign * signalOf(played.sequencer, acquisition, repetition),
          )
        return {
          ...{ i: values(1), q: values(-1) },
          trace: async (length) => {
            const i = Float64Array.from({ length }, (_, t) => signalOf(played.sequencer, 0, t))
            return { i, q: i.map((value) => -value) }
          },
        }
      })
    return new Map(sequencers.map((played) => [played, recordings(played)]))
  },
}

/** A readout of these qubits. */
function readoutOf(qubits: readonly number[]): Schedule {
  const carrier = (qubit: number) => ({ port: `q${qubit}:res` as const, frequency: 6.4e9 + qubit * 37e6 })
  const square = { phase: 0, amplitude: 0.15, envelope: { shape: 'square' as const } }
  return {
    duration: 1_000,
    pulses: [
      { ...square, at: 0, duration: 40, port: 'q0:mw', frequency: 4.42e9 },
      ...qubits.map((qubit) => ({ ...square, ...carrier(qubit), at: 100, duration: 500 })),
    ],
    acquisitions: qubits.map((qubit) => ({
      ...{ ...carrier(qubit), at: 200, duration: WINDOW_NS, qubit: `q${qubit}` },
    })),
  }
}

function program<Kind extends AcquisitionKind>(kind: Kind, shots: number, points: Schedule[]): Program<Kind> {
  return { kind, shots, reset_ns: 200, points }
}

describe.each(['1.0', '1.1', '1.2'])('programs on a fake cluster of version %s', (version) => {
  test('every shot of every acquisition is where it belongs', async () => {
    await using opened = await open(version, named)
    const { cluster, instrument } = opened
    await instrument.open()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 4, max: 20 }),
        async (readings, shots) => {
          const points = readings.map(readoutOf)
          const results = await instrument.run(program('shots', shots, points), NEVER)
          const means = await instrument.run(program('average', shots, points), NEVER)
          const seen = new Map<string, number>()
          const sequencers = new Map<string, number>()
          for (const [point, qubits] of readings.entries()) {
            for (const [index, qubit] of qubits.entries()) {
              const name = `q${qubit}`
              const acquisition = seen.get(name) ?? 0
              seen.set(name, acquisition + 1)
              const result = results[point]?.[index]
              const first = result?.i[0] ?? Number.NaN
              const sequencer = sequencers.get(name) ?? Math.round((first + 0.2 - 0.01 * acquisition) / 0.1)
              sequencers.set(name, sequencer)
              const expected = Array.from({ length: shots }, (_, shot) =>
                signalOf(sequencer, acquisition, shot),
              )
              expect(result?.i.length).toBe(shots)
              for (const [shot, value] of expected.entries()) {
                expect(result?.i[shot]).toBeCloseTo(value, 5)
                expect(result?.q[shot]).toBeCloseTo(-value, 5)
              }
              expect(means[point]?.[index]?.re).toBeCloseTo(signalOf(sequencer, acquisition, 0), 5)
            }
          }
          // Each qubit has a sequencer of its own.
          expect(new Set(sequencers.values()).size).toBe(sequencers.size)
        },
      ),
      { numRuns: 8, seed: 15 },
    )
    for (const { sequencer } of cluster.sequencers) {
      expect(sequencer.config.seq_proc.sync_en).toBe(false)
    }
  })

  test('records the trace of every readout line', async () => {
    await using opened = await open(version, named)
    const [[first, second] = []] = await opened.instrument.run(
      program('trace', 3, [readoutOf([0, 1])]),
      NEVER,
    )
    for (const [sequencer, trace] of [first, second].entries()) {
      expect(trace?.i).toHaveLength(WINDOW_NS)
      for (const t of [0, 1, 17, WINDOW_NS - 1]) {
        expect(trace?.i[t]).toBeCloseTo(signalOf(sequencer, 0, t), 2)
        expect(trace?.q[t]).toBeCloseTo(-signalOf(sequencer, 0, t), 2)
      }
    }
  })
})
