import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { RunSteps } from '../../../../src/devices/tuning/run/run-steps.ts'
import { type CalibrationStep, calibrationStep } from '../../../../src/protocol/index.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

/** The phases of 2026.11.0, which drops an event that it does not understand. */
const former = v.object({
  ...calibrationStep.entries,
  phase: v.picklist(['plan', 'check', 'routine', 'benchmark', 'write']),
})

test('a verification comes after 33 of 33, where a former server stays until the report', () => {
  const sent: CalibrationStep[] = []
  const steps = new RunSteps(new FakeClock(), (step) => sent.push(step))
  const nodes = BUILT_IN_ROUTINES.map((routine) => ({ routine, targets: ['q0'], ifMoved: [] }))
  steps.plan({ nodes, skipped: [], notes: [] }, { shotSeconds: 3e-4, group: (targets) => [targets] })
  for (const [at, { routine }] of nodes.entries())
    steps.take({ kind: 'end', at, routine, target: 'q0', outcome: 'success' })
  const [first] = BUILT_IN_ROUTINES
  if (!first) throw new Error('there are no routines')
  steps.verify({ routine: first, target: 'q0' })
  for (const step of sent) expect(v.is(calibrationStep, step)).toBe(true)
  expect(sent.at(-1)).toMatchObject({ phase: 'verifying', step: 33, total: 33, ok: 33, running: ['q0'] })
  const seen = sent.filter((step) => v.is(former, step))
  expect(seen).toHaveLength(sent.length - 1)
  expect(seen.at(-1)).toMatchObject({ step: 33, total: 33 })
})
