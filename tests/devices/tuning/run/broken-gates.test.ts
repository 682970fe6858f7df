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

/** The device file of the calibrated pair in a folder, with its side file. */
async function copied(folder: string): Promise<string> {
  const [device = '', provenance = ''] = await calibrated
  const path = join(folder, 'scheduler.device.yml')
  writeFileSync(path, device)
  writeFileSync(provenancePathOf(path), provenance)
  return path
}

/** The truth of the pair whose gate has become faster by a factor. */
function faster(factor: number) {
  const changed = truth()
  const gate = changed.edges[EDGE]
  if (!gate) throw new Error(`no edge ${EDGE}`)
  gate.exchange *= factor
  return changed
}

/** The same pair, whose gate has become faster, with a routine that does not do its part. */
async function changedLab(folder: string, name: string, way: (typeof WAYS)[number]) {
  const changed = faster(1.1)
  await copied(folder)
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
 * 2.6 % off a full return on. Found and played are whole ns, each up to 0.5 % off: 3 % may be 2.2 %. An
 * amplitude that is off by 1 % is at the limit of its check, but known to be changed by hand.
 */
const OFF: [string, number][] = [
  ['cz.square_duration', 0.96],
  ['clock_freqs.cz', 1.01],
  ['cz.parent_phase_correction', 20],
  ...[0.7, 0.9, 1.1, 1.3].map((factor): [string, number] => ['cz.square_duration', factor]),
  ...[0.7, 0.9, 0.97, 0.99, 1.01, 1.03, 1.1, 1.3].map((factor): [string, number] => [
    'cz.square_amp',
    factor,
  ]),
  ...[0.97, 0.99, 1.03].map((factor): [string, number] => ['clock_freqs.cz', factor]),
  ['cz.child_phase_correction', -30],
]

test.each(OFF.slice(0, part(OFF.length, 1)))(
  'a partial calibration sees and mends a gate whose %s is off by %p',
  async (path, by) => {
    using folder = temporaryFolder()
    const at = await copied(folder.path)
    const device = readFileSync(at, 'utf8')
    const [module = '', key = ''] = path.split('.')
    const place = new RegExp(`(^q0_q1:[^]*?^ {2}${module}:[^]*?\\b${key}: )([-+.\\de]+)`, 'm')
    const before = Number(place.exec(device)?.[2])
    const value = key.endsWith('correction') ? before + by : before * by
    writeFileSync(
      at,
      device.replace(place, (_, start) => `${start}${value.toPrecision(12)}`),
    )
    const lab = await pairLab(folder.path, truth(), {
      routines: enabled(GATE),
      chip: simulatedAt(truth(), 0),
    })
    const { status, errors, notes } = await lab.run('partial', undefined, [EDGE])
    expect([status, errors]).toEqual(['success', []])
    // Local phases see a duration, too, but mend only themselves.
    const name = key === 'square_duration' ? 'cz_calibration' : String.raw`cz_\w+`
    const isAtLimit = key === 'square_amp' && Math.abs(by - 1) < 0.02
    const seen = isAtLimit ? String.raw`.*cz.square_amp \(changed by hand\)` : `check of ${name} out by`
    expect(notes?.join('\n')).toMatch(new RegExp(`^q0_q1: ${seen}`, 'm'))
    const { error, phases, warnings } = gateOf(lab)
    expect([error < MAX_ERROR, ...phases.map((each) => each < MAX_DEGREES), warnings]).toEqual([
      ...[true, true, true],
      [],
    ])
  },
  60_000,
)

/**
 * What a gate may have become faster by. Three gates in a row return as well at 4/3 and 2/3 of the rate. One
 * that is 3 % slower is 0.2 % worse, which no check sees.
 */
const FASTER = [1.3, 0.7, 4 / 3, 2 / 3, 1.1, 0.9, 1.04]

test.each(FASTER.slice(0, part(4, 1)))(
  'a calibration of its phase alone is no success of a gate that is %p times as fast as it was',
  async (factor) => {
    using folder = temporaryFolder()
    const before = readFileSync(await copied(folder.path), 'utf8')
    const now = faster(factor)
    const routines = enabled(['cz_calibration'])
    const lab = await pairLab(folder.path, now, { routines, chip: simulatedAt(now, 0) })
    const { status, errors } = await lab.run('full', undefined, [EDGE])
    expect([status, errors?.length]).toEqual(['failed', 1])
    expect(errors?.[0]).toMatch(/^q0_q1 cz_calibration: (unresolved|edge_of_sweep|no_signal) /)
    expect(readFileSync(lab.path, 'utf8')).toBe(before)
  },
  60_000,
)

test.each(FASTER.slice(0, part(FASTER.length, 1)))(
  'a partial calibration sees and mends a gate that is %p times as fast as it was',
  async (factor) => {
    using folder = temporaryFolder()
    await copied(folder.path)
    const now = faster(factor)
    const lab = await pairLab(folder.path, now, { routines: enabled(GATE), chip: simulatedAt(now, 0) })
    const { status, errors, notes } = await lab.run('partial', undefined, [EDGE])
    expect([status, errors]).toEqual(['success', []])
    expect(notes?.join('\n')).toMatch(/^q0_q1: check of cz_\w+ out by/m)
    const { error, warnings } = gateOf(lab)
    expect([error < MAX_ERROR, warnings]).toEqual([true, []])
  },
  60_000,
)
