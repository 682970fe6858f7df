import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance, provenancePathOf } from '../../../../src/devices/chip/provenance/provenance.ts'
import { staleValuesOf } from '../../../../src/devices/chip/uncalibrated.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { quietTruth } from '../../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { failing } from '../../../support/tuning/failing-routine.ts'
import { gateTruth } from '../../../support/tuning/gate-truth.ts'
import { pairLab, simulatedAt } from '../../../support/tuning/pair-lab.ts'
import { combinations, part } from '../../../support/whole.ts'

const EDGE = 'q0_q1'
const GATE = ['cz_parametrization', 'cz_chevron', 'cz_calibration', 'cz_local_phases']
const enabled = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '{}']))
/** Largest error of a gate without a warning, and of the phases that it leaves on its qubits. */
const MAX_ERROR = 0.015
const MAX_DEGREES = 6

const truth = () => ({ ...quietTruth(2, 3), shots_noise: true })

/** The files of a pair with a calibrated gate. */
const calibrated = (async () => {
  using folder = temporaryFolder()
  const drive = ['ramsey_correction', 'n_rabi_oscillations', 'two_state_discrimination']
  const lab = await pairLab(folder.path, truth(), { routines: enabled([...drive, ...GATE]) })
  const { status, errors } = await lab.run('full')
  expect([status, errors]).toEqual(['success', []])
  return [lab.path, provenancePathOf(lab.path)].map((path) => readFileSync(path, 'utf8'))
})()

const WAYS = ['fails', 'times out', 'is disabled', 'is pinned'] as const

/** The same pair, whose gate has become faster, with a routine that does not do its part. */
async function changedLab(folder: string, name: string, way: (typeof WAYS)[number]) {
  const changed = truth()
  const gate = changed.edges[EDGE]
  if (!gate) throw new Error(`no edge ${EDGE}`)
  gate.exchange *= 1.1
  const [device = '', provenance = ''] = await calibrated
  const path = join(folder, 'scheduler.device.yml')
  writeFileSync(path, device)
  writeFileSync(provenancePathOf(path), provenance)
  const broken = BUILT_IN_ROUTINES.find((routine) => routine.name === name)
  if (!broken) throw new Error(`no routine ${name}`)
  const code = way === 'fails' ? 'no_signal' : 'timeout'
  return pairLab(folder, changed, {
    routines: enabled(way === 'is disabled' ? GATE.filter((each) => each !== name) : GATE),
    builtIn: BUILT_IN_ROUTINES.map((each) =>
      each === broken && !way.startsWith('is') ? failing(broken, code) : each,
    ),
    pinned: way === 'is pinned' ? [...broken.writes, ...broken.optionalWrites] : [],
    chip: simulatedAt(changed, 0),
  })
}

test.each(combinations(GATE, WAYS).slice(-part(16, 1)))(
  'a gate is good, or warns, when %s %s',
  async (name, way) => {
    using folder = temporaryFolder()
    const lab = await changedLab(folder.path, name, way)
    await lab.run('full')
    const file = readDeviceFile(readFileSync(lab.path, 'utf8'))
    const edge = 'problems' in file ? undefined : file.chip.element(EDGE)
    if (edge?.kind !== 'edge') throw new Error(`no edge ${EDGE}`)
    const warnings = staleValuesOf(edge, Provenance.read(lab.path))
    const value = (at: string) => Number(edge.values.get(at))
    const { error, local } = gateTruth(lab.chip.conditions(), EDGE, {
      ...{ frequency: value('clock_freqs.cz'), amplitude: value('cz.square_amp') },
      duration: value('cz.square_duration'),
    })
    const phases = [
      value('cz.parent_phase_correction') + (local['q0'] ?? Number.NaN),
      value('cz.child_phase_correction') + (local['q1'] ?? Number.NaN),
    ].map((degrees) => Math.abs(((((degrees + 180) % 360) + 360) % 360) - 180))
    if (warnings.length === 0)
      expect([error < MAX_ERROR, ...phases.map((each) => each < MAX_DEGREES)]).toEqual([true, true, true])
  },
  60_000,
)
