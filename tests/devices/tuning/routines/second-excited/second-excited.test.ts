import { describe, expect, test } from 'bun:test'
import type { ChipTruth } from '../../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { instancesOf } from '../../../../../src/devices/tuning/plan/instances.ts'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { bestPulse } from '../../../../support/simulated-chip/best-pulse.ts'
import { EPOCH, quietTruth } from '../../../../support/simulated-chip/chips.ts'
import { qubitOf } from '../../../../support/simulated-chip/experiments.ts'
import { simulatedQubits } from '../../../../support/tuning/simulated-qubit.ts'
import { part } from '../../../../support/whole.ts'

const BEFORE = ['qubit_01_spectroscopy', 'rabi_oscillations', 'ramsey_correction', 'motzoi_parameter']
const NAMES = [
  ...['qubit_12_spectroscopy', 'rabi_oscillations_12', 'ramsey_correction_12', 'motzoi_12_parameter'],
  'n_rabi_12_oscillations',
]

function routineOf(name: string) {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  return routine
}

function truthOf(hand: ChipTruth['hand'], seed: number): ChipTruth {
  return { ...quietTruth(1, seed), shots_noise: true, hand }
}

async function calibrated(truth: ChipTruth) {
  const chip = simulatedQubits(truth)
  for (const name of [...BEFORE, ...NAMES]) {
    const { error } = await chip.measure(routineOf(name))
    expect([name, error?.message]).toEqual([name, undefined])
  }
  return chip
}

const CHIPS = [truthOf(1, 15), truthOf(-1, 16)] as const

describe('the routines of the second excited state', () => {
  const found = calibrated(CHIPS[1])

  test.each(([1, 0] as const).slice(0, part(2, 1)))(
    'calibrate its pulses from nothing, chip %i',
    async (which) => {
      const truth = CHIPS[which]
      const { f01, anharmonicity } = qubitOf(truth, 'q0')
      const chip = await (which === 1 ? found : calibrated(truth))
      const value = (path: string) => chip.values.number('q0', path) ?? Number.NaN
      const best = bestPulse(truth, 'q0', 1)
      expect(Math.abs(value('clock_freqs.f12') - f01 - anharmonicity)).toBeLessThan(10_000)
      expect(Math.abs(value('r12.ef_amp180') / best.amp180 - 1)).toBeLessThan(0.003)
      expect(Math.abs(value('r12.ef_motzoi') - best.motzoi)).toBeLessThan(0.01)
      for (const name of NAMES) {
        const { reads, priors } = routineOf(name)
        expect([name, (await chip.check(routineOf(name))).state]).toEqual([name, 'in'])
        const undeclared = [...(chip.reads.get(name) ?? [])].filter(
          (path) => ![...reads, ...priors].includes(path),
        )
        expect([name, undeclared]).toEqual([name, []])
      }
    },
  )

  test.each([
    ['qubit_12_spectroscopy', 'clock_freqs.f12', 3e6],
    ['rabi_oscillations_12', 'r12.ef_amp180', 0.08],
    ['ramsey_correction_12', 'clock_freqs.f12', 80e3],
    ['ramsey_correction_12', 'clock_freqs.f12', -80e3],
    ['motzoi_12_parameter', 'r12.ef_motzoi', 0.15],
    ['n_rabi_12_oscillations', 'r12.ef_amp180', 0.01],
  ])('notice by the check of %s that %s is off by %f', async (name, path, by) => {
    const chip = await found
    const value = chip.values.number('q0', path) ?? 0
    chip.values.set('q0', path, value + by)
    const { state, margin } = await chip.check(routineOf(name))
    chip.values.set('q0', path, value)
    expect(state).toBe('out')
    expect(margin).toBeGreaterThan(1)
  })

  test('say what to do when the pi pulse is beyond full scale', async () => {
    const chip = await found
    // Shorter by so much that the pi pulse would be at 0.8.
    const amp180 = chip.values.number('q0', 'r12.ef_amp180') ?? Number.NaN
    chip.values.set('q0', 'r12.ef_duration', Math.round((56 * amp180) / 0.8) * 1e-9)
    const { error } = await chip.measure(routineOf('rabi_oscillations_12'))
    expect([error?.code, error?.message]).toEqual([
      'edge_of_sweep',
      expect.stringContaining('lengthen r12.ef_duration'),
    ])
  })

  test('accept nothing from a qubit that is not there', async () => {
    const dead = { kind: 'dead' as const, at: EPOCH, target: 'q0', part: 'drive' as const }
    const chip = simulatedQubits({ ...truthOf(1, 14), events: [dead] })
    chip.values.set('q0', 'clock_freqs.f12', 4.2e9)
    chip.values.set('q0', 'r12.ef_amp180', 0.3)
    for (const name of NAMES) {
      const { error } = await chip.measure(routineOf(name))
      expect([name, error?.code]).not.toEqual([name, undefined])
    }
  })

  test('are declined by a stock element, except for the spectroscopy, which needs no pulse', () => {
    const { skipped } = instancesOf({
      routines: BUILT_IN_ROUTINES.filter(({ name }) => NAMES.includes(name)),
      chip: { qubits: ['q0'], edges: [], has: (_, path) => !path.startsWith('r12') },
      ...{ qubits: ['q0'], edges: [], isEnabled: () => true },
    })
    expect(skipped.map(({ routine, reason, detail }) => [routine, reason, detail])).toEqual(
      NAMES.slice(1).map((name) => [name, 'declined', 'needs r12']),
    )
  })
})
