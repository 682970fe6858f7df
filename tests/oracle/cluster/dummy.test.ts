import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { ClusterInstrument } from '../../../src/devices/bench/cluster/cluster-instrument.ts'
import type { ModuleName } from '../../../src/devices/chip/hardware/modules.ts'
import type { AcquisitionKind, Program } from '../../../src/devices/pulse/schedule.ts'
import { EXAMPLE_HARDWARE } from '../../support/cluster/open-cluster.ts'
import { openAssembler, openClusterPythons } from '../../support/python/python.ts'
import { startPython } from '../../support/python/python-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(120_000)

const [pythons, assembler] = [await openClusterPythons(), await openAssembler()]

const WINDOW_NS = 400
const SHOTS = 50
const READOUT_SLOT = 5
const NEVER = new AbortController().signal
/** Names of the modules in the vendor's library. */
const TYPES = {
  ...{ QCM: 'CLUSTER_QCM', QCM_RF: 'CLUSTER_QCM_RF', QRM: 'CLUSTER_QRM', QRM_RF: 'CLUSTER_QRM_RF' },
  QRC: 'CLUSTER_QRC',
}

/** A rotation of two qubits and their readout. */
function readout<Kind extends AcquisitionKind>(kind: Kind): Program<Kind> {
  const qubits = ['q0', 'q1'] as const
  const square = { phase: 0, amplitude: 0.2, envelope: { shape: 'square' as const } }
  const tone = { q0: 6.5e9, q1: 6.6e9 }
  return {
    ...{ kind, shots: SHOTS, reset_ns: 1_000 },
    points: [
      {
        duration: 1_000,
        pulses: qubits.flatMap((qubit) => [
          { ...square, at: 0, duration: 40, port: `${qubit}:mw` as const, frequency: 4.5e9 },
          { ...square, at: 100, duration: 500, port: `${qubit}:res` as const, frequency: tone[qubit] },
        ]),
        acquisitions: qubits.map((qubit) => ({
          ...{ at: 200, duration: WINDOW_NS, port: `${qubit}:res` as const },
          ...{ frequency: tone[qubit], qubit },
        })),
      },
    ],
  }
}

describe.skipIf(!pythons || !assembler).each(['1.1.1', '1.4.1'] as const)(
  'the dummy cluster of the vendor, version %s',
  (version) => {
    async function open() {
      const { interpreter, paths } = pythons?.[version] ?? { interpreter: '', paths: [] }
      const dummy = startPython(interpreter, join(import.meta.dir, 'dummy.py'), paths)
      const modules = EXAMPLE_HARDWARE.clusters[0]?.modules ?? new Map<number, ModuleName>()
      const moduleBase = 10_000 + (process.pid % 600) * 30
      const named = Object.fromEntries([...modules].map(([slot, name]) => [slot, TYPES[name]]))
      const { port } = await dummy.ask<{ port: number }>({
        ...{ ask: 'start', modules: named, moduleBase, assembler },
      })
      const folder = temporaryFolder()
      const instrument = new ClusterInstrument({
        ...{ hardware: EXAMPLE_HARDWARE, name: 'cluster0', modules, user: 'test', clock: systemClock },
        ...{ address: { host: '127.0.0.1', port, moduleBase }, log: silentLog, lockFolder: folder.path },
      })
      return {
        instrument,
        seed: (sequencer: number, bins: readonly (readonly number[])[]) =>
          dummy.ask({ ask: 'seed', slot: READOUT_SLOT, sequencer, bins }),
        async [Symbol.asyncDispose]() {
          await instrument.close()
          await dummy[Symbol.asyncDispose]()
          folder[Symbol.dispose]()
        },
      }
    }

    test('takes everything that a program needs, and its data arrive', async () => {
      await using lab = await open()
      await lab.instrument.open()
      // The first run tells the dummy what the sequencers record.
      await expect(lab.instrument.run(readout('shots'), NEVER)).rejects.toThrow('no data for q0')
      const signal = fc.double({ min: -1, max: 1, noNaN: true })
      const bins = fc.array(fc.tuple(signal, signal), { minLength: SHOTS, maxLength: SHOTS })
      for (const both of fc.sample(fc.tuple(bins, bins), { numRuns: 5, seed: 7 })) {
        for (const [sequencer, values] of both.entries()) {
          const seeded = values.map(([i, q]) => [i * WINDOW_NS, q * WINDOW_NS, 0])
          await lab.seed(sequencer, seeded)
        }
        const [recorded = []] = await lab.instrument.run(readout('shots'), NEVER)
        for (const [index, { i, q }] of recorded.entries()) {
          const values = both[index] ?? []
          expect(i.length).toBe(SHOTS)
          for (const [shot, [re, im]] of values.entries()) {
            expect(i[shot]).toBeCloseTo(re, 6)
            expect(q[shot]).toBeCloseTo(im, 6)
          }
        }
      }
      expect(lab.instrument.takeWarnings()).toEqual([])
    })
  },
)
