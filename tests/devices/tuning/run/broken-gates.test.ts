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

/** How good the gate in a device file is, and the warnings of jobs that use it. */
function gateOf(lab: Awaited<ReturnType<typeof pairLab>>) {
  const file = readDeviceFile(readFileSync(lab.path, 'utf8'))
  const edge = 'problems' in file ? undefined : file.chip.element(EDGE)
  if (edge?.kind !== 'edge') throw new Error(`no edge ${EDGE}`)
  const value = (at: string) => Number(edge.values.get(at))
  const { error, local } = gateTruth(lab.chip.conditions(), EDGE, {
    ...{ frequency: value('clock_freqs.cz'), amplitude: value('cz.square_amp') },
    duration: value('cz.square_duration'),
  })
  const phases = [
    value('cz.parent_phase_correction') + (local['q0'] ?? Number.NaN),
    value('cz.child_phase_correction') + (local['q1'] ?? Number.NaN),
  ].map((degrees) => Math.abs(((((degrees + 180) % 360) + 360) % 360) - 180))
  return { warnings: staleValuesOf(edge, Provenance.read(lab.path)), error, phases }
}

test.each(combinations(GATE, WAYS).slice(-part(16, 1)))(
  'a gate is good, or warns, when %s %s',
  async (name, way) => {
    using folder = temporaryFolder()
    const lab = await changedLab(folder.path, name, way)
    await lab.run('full')
    const { warnings, error, phases } = gateOf(lab)
    if (warnings.length === 0)
      expect([error < MAX_ERROR, ...phases.map((each) => each < MAX_DEGREES)]).toEqual([true, true, true])
  },
  60_000,
)

/**
 * Values of an edge, and what they are off by: a factor, or degrees of a phase. The check sees durations from
 * 2.6 % off a full return on. Found and played are whole ns, each up to 0.5 % off: 3 % may be 2.2 %.
 */
const OFF: [string, number][] = [
  ['cz.square_duration', 0.96],
  ['clock_freqs.cz', 1.01],
  ['cz.parent_phase_correction', 20],
  ...[0.7, 0.9, 1.1, 1.3].map((factor): [string, number] => ['cz.square_duration', factor]),
  ...[0.7, 0.9, 0.97, 1.03, 1.1, 1.3].map((factor): [string, number] => ['cz.square_amp', factor]),
  ...[0.97, 0.99, 1.03].map((factor): [string, number] => ['clock_freqs.cz', factor]),
  ['cz.child_phase_correction', -30],
]

test.each(OFF.slice(0, part(OFF.length, 1)))(
  'a partial calibration sees and mends a gate whose %s is off by %p',
  async (path, by) => {
    using folder = temporaryFolder()
    const [device = '', provenance = ''] = await calibrated
    const [module = '', key = ''] = path.split('.')
    const place = new RegExp(`(^q0_q1:[^]*?^ {2}${module}:[^]*?\\b${key}: )([-+.\\de]+)`, 'm')
    const before = Number(place.exec(device)?.[2])
    const value = key.endsWith('correction') ? before + by : before * by
    const at = join(folder.path, 'scheduler.device.yml')
    writeFileSync(
      at,
      device.replace(place, (_, start) => `${start}${value.toPrecision(12)}`),
    )
    writeFileSync(provenancePathOf(at), provenance)
    const lab = await pairLab(folder.path, truth(), {
      routines: enabled(GATE),
      chip: simulatedAt(truth(), 0),
    })
    const { status, errors, notes } = await lab.run('partial', undefined, [EDGE])
    expect([status, errors]).toEqual(['success', []])
    expect(notes?.some((note) => /^q0_q1: check of cz_\w+ out by/.test(note))).toBe(true)
    const { error, phases, warnings } = gateOf(lab)
    expect([error < MAX_ERROR, ...phases.map((each) => each < MAX_DEGREES), warnings]).toEqual([
      ...[true, true, true],
      [],
    ])
  },
  60_000,
)
