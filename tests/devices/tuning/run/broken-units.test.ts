import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance, provenancePathOf } from '../../../../src/devices/chip/provenance/provenance.ts'
import { qualityOf } from '../../../../src/devices/chip/quality.ts'
import { staleValuesOf } from '../../../../src/devices/chip/uncalibrated.ts'
import { type Routine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { coldQubit, coldTruth } from '../../../support/tuning/cold-qubit.ts'
import { combinations, RUNS_WHOLE } from '../../../support/whole.ts'

const SEED = 5
const HAND = -1
/** Largest difference of the fidelity of a readout from what its device file says. */
const TOLERANCE = 0.02
const READOUT = ['ro_two_state_optimization', 'ro_duration_optimization', 'two_state_discrimination']
const OF_QUBITS = BUILT_IN_ROUTINES.filter(({ kind, isBenchmark }) => kind !== 'edge' && !isBenchmark)
/** The gate runs those of the readout on a calibrated qubit. */
const chosen = OF_QUBITS.filter(({ name }) => RUNS_WHOLE || READOUT.includes(name))

/** These routines, each after those of them that it follows. */
const only = (routines: readonly Routine[]) =>
  routines.map((each) => ({
    ...each,
    dependsOn: each.dependsOn.filter((name) => routines.some((other) => other.name === name)),
  }))

const WAYS: Record<string, (routine: Routine) => { config?: string; routine?: Routine }> = {
  fails: (routine) => ({ routine: failing(routine, 'no_signal') }),
  'times out': (routine) => ({ routine: failing(routine, 'timeout') }),
  'is disabled': ({ name }) => ({ config: `routines: {${name}: {enabled: false}}\n` }),
  'is pinned': ({ writes, optionalWrites }) => ({
    config: `pin: {q0: [${[...writes, ...optionalWrites].join(', ')}]}\n`,
  }),
}

function failing(routine: Routine, code: string): Routine {
  return {
    ...routine,
    // biome-ignore lint/correctness/useYield: it fails before it measures.
    *measure() {
      throw new RoutineError(code, 'nothing seen')
    },
  }
}

/** A calibrated qubit whose resonator has shifted since by a quarter of its line. */
const calibrated = (async () => {
  using folder = temporaryFolder()
  const truth = coldTruth(SEED, HAND)
  const qubit = coldQubit(folder.path, truth)
  const { status, errors } = await qubit.calibrate('full')
  expect([status, errors]).toEqual(['success', []])
  const { q0 } = truth.qubits
  if (!q0) throw new Error('the chip has no q0')
  q0.readout.frequency += q0.readout.linewidth / 4
  return { truth, text: readFileSync(qubit.devicePath, 'utf8') }
})()

/** What a device file promises of a readout and what it does. */
async function readoutOf(qubit: ReturnType<typeof coldQubit>) {
  const file = readDeviceFile(readFileSync(qubit.devicePath, 'utf8'))
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const [element] = file.chip.qubits
  if (!element) throw new Error('no q0')
  const provenance = Provenance.read(qubit.devicePath)
  const reader = only(BUILT_IN_ROUTINES.filter(({ name }) => name === 'readout_fidelity'))
  const { benchmarks } = await qubit.calibrate('fidelity_check', '', reader)
  return {
    error: benchmarks?.[0]?.error ?? 0.5,
    promised: qualityOf(element, provenance).readout_error,
    warnings: staleValuesOf(element, provenance).length,
  }
}

test.each(combinations(chosen, Object.keys(WAYS)).map(([routine, way]) => [routine.name, way] as const))(
  'a qubit reads as its device file says, or warns, when %s %s',
  async (name, way) => {
    const { truth, text } = await calibrated
    using folder = temporaryFolder()
    const qubit = coldQubit(folder.path, truth, text)
    const routines = RUNS_WHOLE ? OF_QUBITS : chosen
    const broken = routines.find((each) => each.name === name)
    if (!broken) throw new Error(`no routine ${name}`)
    const { config = '', routine = broken } = WAYS[way]?.(broken) ?? {}
    await qubit.calibrate('full', config, only(routines.map((each) => (each === broken ? routine : each))))
    const { error, promised = Number.NaN, warnings } = await readoutOf(qubit)
    if (warnings === 0) expect(Math.abs(error - promised)).toBeLessThan(TOLERANCE)
    // A readout that warns promises nothing.
    if (name === 'two_state_discrimination') expect([warnings > 0, promised]).toEqual([true, Number.NaN])
    rmSync(provenancePathOf(qubit.devicePath), { force: true })
  },
  60_000,
)
