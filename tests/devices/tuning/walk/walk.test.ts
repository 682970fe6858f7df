import { describe, expect, test } from 'bun:test'
import { groupTargets } from '../../../../src/devices/tuning/plan/groups.ts'
import { acquire, defineRoutine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { lineChip, RecordingInstrument, scriptedRoutine, windowOf } from '../../../support/tuning/scripted.ts'
import { ends, found, no, setUp } from '../../../support/tuning/scripted-walk.ts'

describe('walk()', () => {
  test('gives every routine the values that were found before it', async () => {
    const seen: unknown[] = []
    const reader = defineRoutine({
      ...{ name: 'reader', kind: 'qubit', reads: ['a'], writes: ['b'], size: { points: 1, shots: 1 } },
      *measure({ self, target }) {
        yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(target)] })
        seen.push(self.number('a'))
        return {}
      },
    })
    const finder = scriptedRoutine({ name: 'finder', writes: ['a'] }, (target) =>
      found('a', Number(target.slice(1))),
    )
    const { run, values } = setUp([finder, reader], { chip: lineChip(2, { q0: { a: 7 } }) })
    const { results, stopped } = await run()
    expect(seen).toEqual([0, 1])
    expect(stopped).toBeUndefined()
    expect(results[0]?.parameters['a']).toEqual({
      value: 0,
      error: 0.1,
      unit: 'Hz',
      previous: 7,
      isApplied: true,
    })
    expect(values.changes.map(({ element, path, value }) => [element, path, value])).toEqual([
      ['q0', 'a', 0],
      ['q1', 'a', 1],
    ])
  })

  test('gives routines what one lets the run assume, of which nothing is a result', async () => {
    const seen: unknown[] = []
    const reader = scriptedRoutine({ name: 'reader', dependsOn: ['finder'], writes: ['b'] })
    const finder = scriptedRoutine({ name: 'finder', writes: ['a'] }, () => ({
      ...found('a', 1),
      assumed: { rough: 4 },
    }))
    const measure = reader.measure
    const { run } = setUp(
      [
        finder,
        {
          ...reader,
          measure(context) {
            seen.push(context.self.optional('rough'))
            return measure(context)
          },
        },
      ],
      { chip: lineChip(1) },
    )
    const { results } = await run()
    expect(seen).toEqual([4])
    expect(results.map(({ parameters }) => Object.keys(parameters))).toEqual([['a'], []])
  })

  test('blocks by values: what reads a missing one, on this target and its edges only', async () => {
    const routines = [
      scriptedRoutine({ name: 'find', writes: ['clock_freqs.f01'] }, (target) =>
        target === 'q0' ? no('no_signal') : found('clock_freqs.f01', 5e9),
      ),
      scriptedRoutine({ name: 'next', reads: ['clock_freqs.f01'], writes: ['x'] }, () => found('x', 1)),
      scriptedRoutine({ name: 'after', reads: ['x'] }),
      scriptedRoutine({ name: 'other', dependsOn: ['find'] }),
      scriptedRoutine({ kind: 'edge', name: 'gate', dependsOn: ['next'] }),
    ]
    const { run, events } = setUp(routines)
    const { skipped } = await run()
    expect(ends(events).filter((line) => line.includes('q0'))).toEqual([
      ...['find q0 failed', 'next q0 blocked', 'after q0 blocked', 'other q0 success', 'gate q0_q1 blocked'],
    ])
    expect(ends(events).filter((line) => line.endsWith('failed') || line.endsWith('blocked'))).toHaveLength(4)
    expect(skipped.every(({ detail }) => detail === 'q0 find')).toBe(true)
  })

  test('blocks nothing when a refiner fails, and keeps the value of one that cannot improve it', async () => {
    const routines = [
      scriptedRoutine({ name: 'find', writes: ['a'] }, () => found('a', 5)),
      scriptedRoutine({ name: 'refine', dependsOn: ['find'], writes: ['a'], refiner: true }, (target) =>
        no(target === 'q0' ? 'unresolved' : 'no_signal'),
      ),
      scriptedRoutine({ name: 'use', dependsOn: ['refine'], reads: ['a'] }),
    ]
    const { run, events, values } = setUp(routines, { chip: lineChip(2) })
    const { results } = await run()
    expect(ends(events).slice(2)).toEqual([
      ...['refine q0 unresolved', 'refine q1 failed', 'use q0 success', 'use q1 success'],
    ])
    expect(results.find(({ routine, target }) => routine.name === 'refine' && target === 'q0')).toMatchObject(
      {
        isUnresolved: true,
        parameters: {},
      },
    )
    expect(values.number('q0', 'a')).toBe(5)
  })

  test('repeats a failed attempt up to the limit, unless no repetition can help', async () => {
    const attempts = new Map<string, number[]>()
    const routine = scriptedRoutine({ name: 'find', writes: ['a'] }, (target, attempt) => {
      attempts.set(target, [...(attempts.get(target) ?? []), attempt])
      if (target === 'q0') return attempt === 3 ? found('a', 1) : no('no_signal')
      return no(target === 'q1' ? 'no_data' : 'edge_of_sweep')
    })
    const { run } = setUp([routine])
    const { results } = await run()
    expect([...attempts]).toEqual([
      ['q0', [1, 2, 3]],
      ['q1', [1]],
      ['q2', [1, 2, 3]],
    ])
    expect(results.map(({ outcome }) => [outcome.attempts, outcome.error?.code])).toEqual([
      [3, undefined],
      [1, 'no_data'],
      [3, 'edge_of_sweep'],
    ])
  })

  test('reports a defect of a routine without its text, and goes on', async () => {
    const broken = scriptedRoutine({ name: 'broken', writes: ['a'] }, () => {
      throw new TypeError('secret path')
    })
    const { run } = setUp([broken, scriptedRoutine({ name: 'fine' })], { chip: lineChip(1) })
    const { results } = await run()
    expect(results.map(({ outcome }) => outcome.error?.message)).toEqual([
      'TypeError: see the driver log',
      undefined,
    ])
  })

  test('never applies a pinned value, nor one that is not finite', async () => {
    const routine = scriptedRoutine({ name: 'find', writes: ['a'] }, (target) =>
      found('a', target === 'q1' ? Number.NaN : 2),
    )
    const isPinned = (element: string, path: string) => element === 'q0' && path === 'a'
    const { run, values } = setUp([routine], { input: { isPinned } })
    const { results } = await run()
    expect(values.changes).toEqual([{ element: 'q2', path: 'a', value: 2 }])
    expect(results.map(({ parameters }) => parameters['a']?.isApplied)).toEqual([false, false, true])
  })

  test('measures groups as one program, with the same results as one after the other', async () => {
    const routine = defineRoutine({
      ...{ name: 'find', kind: 'qubit', writes: ['a'], size: { points: 2, shots: 1 } },
      *measure({ target, attempt }) {
        const points = [windowOf(target), windowOf(target, 40)]
        const [first] = yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points })
        if (target === 'q2' && attempt.number === 1) throw new RoutineError('no_signal', 'again')
        yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: points.slice(0, 1) })
        return found('a', first?.length ?? 0)
      },
    })
    const chip = lineChip(4)
    const rules = { enabled: true, qubitSpacing: 2, edgeSpacing: 1, maxGroup: 8, exclude: [], groups: {} }
    const alone = setUp([routine], { chip })
    const together = setUp([routine], {
      chip,
      input: { group: (targets) => groupTargets(targets, { chip, rules }) },
    })
    const [one, other] = [await alone.run(), await together.run()]
    const summary = ({ results }: typeof one) =>
      results.map(({ target, parameters, outcome }) => [target, parameters, outcome.attempts]).sort()
    expect(summary(other)).toEqual(summary(one))
    expect(
      together.instrument.programs.map(({ points }) => points.map(({ acquisitions }) => acquisitions.length)),
    ).toEqual([
      ...[[2, 2], [1]],
      // q2 alone, again
      ...[[1, 1], [1]],
      ...[[2, 2], [2]],
    ])
  })

  test('runs a node in a partial run only if something that it reads has moved', async () => {
    const chip = lineChip(2, { q0: { a: 1 }, q1: { a: 1 } })
    const finder = scriptedRoutine({ name: 'finder', writes: ['a'] }, (target) => ({
      parameters: { a: { value: target === 'q0' ? 1.3 : 1.4, checkLimit: 1 } },
    }))
    const reader = scriptedRoutine({ name: 'reader', reads: ['a'] })
    const plan = {
      nodes: [
        { routine: finder, targets: ['q0', 'q1'], ifMoved: [] },
        { routine: reader, targets: [], ifMoved: ['q0', 'q1'] },
      ],
      skipped: [],
      notes: [],
    }
    const { run, events } = setUp([finder, reader], { chip, input: { plan } })
    await run()
    expect(ends(events).slice(2)).toEqual(['reader q0 not_planned', 'reader q1 success'])
  })

  test('declines a target that cannot have what a routine calibrates, and all that reads it', async () => {
    const finder = scriptedRoutine({ name: 'finder', writes: ['a'] }, (target) =>
      target === 'q1' ? no('declined') : found('a', 1),
    )
    const reader = scriptedRoutine({ name: 'reader', dependsOn: ['finder'], reads: ['a'], writes: ['b'] })
    const last = scriptedRoutine({ name: 'last', dependsOn: ['reader'], reads: ['b'] })
    const { run } = setUp([finder, reader, last], { chip: lineChip(2) })
    const { results, skipped } = await run()
    expect(results.map(({ routine, target }) => `${routine.name} ${target}`)).toEqual(
      ['finder', 'reader', 'last'].map((name) => `${name} q0`),
    )
    expect(skipped).toEqual(
      ['finder', 'reader', 'last'].map((routine) => ({
        ...{ routine, target: 'q1', reason: 'declined' as const, detail: 'nothing seen' },
      })),
    )
  })

  test('ends a routine that exceeds its time limit, but not one whose program is longer than it', async () => {
    const clock = new FakeClock()
    const instrument = new RecordingInstrument()
    const slow = Object.assign(instrument, {
      run: async (program: Parameters<typeof instrument.run>[0], signal: AbortSignal) => {
        await clock.sleep(60_000, signal)
        return RecordingInstrument.prototype.run.call(instrument, program, signal)
      },
    })
    const routineOf = (name: string, shots: number) =>
      defineRoutine({
        ...{ name, kind: 'qubit', writes: ['a'], size: { points: 1, shots } },
        *measure({ target }) {
          yield* acquire({ kind: 'average', shots, reset_ns: 50_000_000, points: [windowOf(target)] })
          return {}
        },
      })
    const routines = [routineOf('short', 1), routineOf('long', 1_000)]
    const { run } = setUp(routines, { chip: lineChip(1), runner: { clock, instrument: slow, timeoutS: 30 } })
    let result: Awaited<ReturnType<typeof run>> | undefined
    void run().then((each) => {
      result = each
    })
    for (let step = 0; step < 12 && !result; step++) await clock.advance(15_000)
    expect(result?.results.map(({ outcome }) => outcome.error?.code)).toEqual(['timeout', undefined])
  })
})
