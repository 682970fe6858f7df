import { describe, expect, test } from 'bun:test'
import type { Finding, Routine } from '../../../../src/devices/tuning/routine.ts'
import { lineChip, scriptedRoutine } from '../../../support/tuning/scripted.ts'
import { found, no, setUp } from '../../../support/tuning/scripted-walk.ts'

const POINT = 'measure_2state.frequency'
const [ROTATION, THRESHOLD] = ['measure_2state.acq_rotation', 'measure_2state.acq_threshold']
const STORED = { [POINT]: 6e9, [ROTATION]: 30, [THRESHOLD]: 0.01, 'rxy.amp180': 0.4, 'fine.amp90': 0.2 }
const readout = (discriminate: () => Finding): Routine[] => [
  scriptedRoutine({ name: 'ro_two_state_optimization', writes: [POINT] }, () => found(POINT, 6.1e9)),
  scriptedRoutine(
    {
      ...{ name: 'two_state_discrimination', dependsOn: ['ro_two_state_optimization'] },
      optionalWrites: [ROTATION, THRESHOLD],
    },
    discriminate,
  ),
]
const good = () => ({
  parameters: { [ROTATION]: { value: 50, error: 1 }, [THRESHOLD]: { value: 0.02, error: 1e-3 } },
})
const pinned = { isPinned: (_: string, path: string) => path === ROTATION }
const disabled = { isEnabled: (name: string) => name !== 'two_state_discrimination' }

describe('a readout point and its discriminator', () => {
  test.each([
    ['both found', good, {}, { [POINT]: 6.1e9, [ROTATION]: 50, [THRESHOLD]: 0.02 }, []],
    ['no discriminator', () => no('no_data'), {}, {}, [ROTATION, THRESHOLD]],
    ['a discriminator that is pinned', good, { input: pinned }, {}, [ROTATION, THRESHOLD]],
    ['a discriminator that is disabled', good, { plan: disabled }, {}, [ROTATION, THRESHOLD]],
    [
      'a point alone, as somebody asked for it',
      good,
      { plan: disabled, input: { keepsUnits: true } },
      { [POINT]: 6.1e9 },
      [ROTATION, THRESHOLD],
    ],
  ])('change together: %s', async (_, discriminate, setup, changed, stale) => {
    const { run, values } = setUp(readout(discriminate), { chip: lineChip(1, { q0: STORED }), ...setup })
    const walked = await run()
    expect(Object.fromEntries(values.changes.map(({ path, value }) => [path, value]))).toEqual(changed)
    expect(walked.stale?.map(({ path }) => path)).toEqual(stale)
    expect(walked.results[0]?.parameters[POINT]?.isApplied).toBe(POINT in changed)
    expect(walked.notes.some((note) => note.includes('as before'))).toBe(!(POINT in changed))
  })

  test('are written as far as they were found where none was in use before', async () => {
    const { run, values } = setUp(
      readout(() => no('no_data')),
      { chip: lineChip(1) },
    )
    expect((await run()).stale).toEqual([])
    expect(values.changes.map(({ path }) => path)).toEqual([POINT])
  })
})

test.each([
  ['as before when it has hardly moved', 0.401, 0.4],
  ['the new one when that of before is far off', 0.5, 0.5],
])('a half turn that is not refined is %s, with a warning', async (_, value, kept) => {
  const coarse = { value, error: 1e-3, checkLimit: 0.02 }
  const routines = [
    scriptedRoutine(
      { name: 'rabi_oscillations', writes: ['rxy.amp180'], optionalWrites: ['fine.amp90'] },
      () => ({ parameters: { 'rxy.amp180': coarse, 'fine.amp90': { value: value / 2, error: 1e-3 } } }),
    ),
    scriptedRoutine(
      {
        ...{ name: 'n_rabi_oscillations', dependsOn: ['rabi_oscillations'], refiner: true },
        ...{ writes: ['rxy.amp180'], optionalWrites: ['fine.amp90'] },
      },
      () => no('timeout'),
    ),
  ]
  const { run, values } = setUp(routines, { chip: lineChip(1, { q0: STORED }) })
  const walked = await run()
  expect([values.number('q0', 'rxy.amp180'), values.number('q0', 'fine.amp90')]).toEqual([kept, kept / 2])
  // The routine failed: what is in use was not confirmed.
  expect(walked.stale?.map(({ path }) => path)).toEqual(['rxy.amp180', 'fine.amp90'])
})
