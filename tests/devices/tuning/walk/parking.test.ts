import { describe, expect, test } from 'bun:test'
import { CalibrationError } from '../../../../src/devices/errors.ts'
import {
  acquire,
  currentOf,
  defineRoutine,
  RoutineError,
  rampTo,
} from '../../../../src/devices/tuning/routine.ts'
import { lineChip, RecordingMover, scriptedRoutine, windowOf } from '../../../support/tuning/scripted.ts'
import { ends, found, no, setUp } from '../../../support/tuning/scripted-walk.ts'

/** A routine that moves the current of an edge and finds another one. */
const coupling = (also: (mover: RecordingMover) => void, mover: RecordingMover) =>
  defineRoutine({
    ...{ name: 'coupler_anticrossing', writes: ['bias.parking_current'], size: { points: 1, shots: 1 } },
    *measure({ target, parent }) {
      expect(yield* currentOf(target)).toEqual({ amps: 0, limit: 2.5e-3 })
      yield* rampTo(target, 2e-3)
      expect((yield* currentOf(target)).amps).toBe(2e-3)
      also(mover)
      yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(parent.name)] })
      return { parameters: { 'bias.parking_current': { value: 1e-3, unit: 'A' } } }
    },
  })

describe('a walk with couplers', () => {
  test('restores a current after its measurement, then parks the coupler at the one that was found', async () => {
    const mover = new RecordingMover(['q0_q1'])
    const { run, events, used } = setUp([coupling(() => undefined, mover)], { chip: lineChip(2), mover })
    const { notes } = await run()
    expect(mover.log).toEqual(['q0_q1 0.002', 'q0_q1 back', 'q0_q1 0.001'])
    expect(notes).toEqual(['q0_q1: coupler parked at 1 mA'])
    expect(events.map(({ kind }) => kind)).toEqual(['begin', 'end', 'park'])
    expect(await used.currents.settle(() => false)).toHaveLength(1)
    expect(mover.log[3]).toBe('q0_q1 back')
    expect(await used.currents.settle(() => true)).toEqual([])
  })

  test('keeps a parked coupler where the device file has its current', async () => {
    const mover = new RecordingMover(['q0_q1'])
    const { run, used } = setUp([coupling(() => undefined, mover)], { chip: lineChip(2), mover })
    await run()
    expect(await used.currents.settle(() => true)).toEqual([])
    expect(mover.log[3]).toBe('q0_q1 kept')
  })

  test('measures the qubits beside a parked coupler again, once all couplers are parked', async () => {
    const mover = new RecordingMover(['q0_q1', 'q1_q2'])
    let seen = 0
    const ramsey = scriptedRoutine({ name: 'ramsey', writes: ['f'], refiner: true }, () => {
      seen += 1
      return found('f', mover.log.length)
    })
    const lacking = scriptedRoutine({ name: 'ramsey_12', writes: ['f12'], needs: ['missing'] })
    const anticrossing = coupling(() => undefined, mover)
    const { run, values, events } = setUp([ramsey, anticrossing], {
      mover,
      input: { afterParking: { always: [{ routine: ramsey }, { routine: lacking }] } },
    })
    await run()
    expect(seen).toBe(6)
    expect(ends(events).slice(3)).toEqual([
      ...['q0_q1', 'q1_q2'].map((edge) => `coupler_anticrossing ${edge} success`),
      ...['q0', 'q1', 'q2'].map((qubit) => `ramsey ${qubit} success`),
    ])
    expect(values.number('q1', 'f')).toBe(mover.log.length)
  })

  test('measures again what depends on coherence where a coupler moved, unless it is still to come', async () => {
    const mover = new RecordingMover(['q0_q1', 'q1_q2'])
    const counts = new Map<string, number>()
    const counted = (name: string) =>
      scriptedRoutine({ name, kind: 'qubit' }, (qubit) => {
        counts.set(`${name} ${qubit}`, (counts.get(`${name} ${qubit}`) ?? 0) + 1)
        return name === 't2' && qubit === 'q1' ? no('no_signal') : {}
      })
    const [t2, rb] = [counted('t2'), counted('rb')]
    const anticrossing = coupling(() => undefined, mover)
    const input = { afterParking: { always: [], ifMoved: [t2, rb] } }
    const { run } = setUp([t2, anticrossing, rb], { mover, input })
    const { notes } = await run()
    expect(Object.fromEntries(counts)).toEqual({
      // Three attempts each time.
      ...{ 't2 q0': 2, 't2 q1': 6, 't2 q2': 2 },
      ...{ 'rb q0': 1, 'rb q1': 1, 'rb q2': 1 },
    })
    expect(notes).toContain('q1 t2: as of before the coupler was parked: nothing seen')
  })

  test('measures a qubit beside a parked coupler more coarsely when it has no clear result', async () => {
    const mover = new RecordingMover(['q0_q1'])
    const routine = scriptedRoutine({ name: 'ramsey' }, () => no('unresolved'))
    const otherwise = scriptedRoutine({ name: 'coarse' }, (qubit) => (qubit === 'q1' ? no('unresolved') : {}))
    const input = { afterParking: { always: [{ routine, otherwise }] } }
    const { run } = setUp([coupling(() => undefined, mover)], { chip: lineChip(2), mover, input })
    const { notes } = await run()
    expect(notes.slice(1)).toEqual([
      'q0 ramsey: no clear result beside the parked coupler, the value is that of coarse: nothing seen',
      'q1 ramsey: not corrected for the parked coupler: nothing seen',
    ])
  })

  test('measures beside a parked coupler what its check finds stale there', async () => {
    const mover = new RecordingMover(['q0_q1', 'q1_q2'])
    const t1 = scriptedRoutine({
      name: 't1',
      *check({ target }) {
        yield* []
        if (target === 'q2') throw new RoutineError('not_set', 'never measured')
        return target === 'q0' ? { state: 'out', margin: 2 } : { state: 'in', margin: 0.5 }
      },
    })
    const input = { afterParking: { always: [], ifStale: [t1] } }
    const { run, events } = setUp([coupling(() => undefined, mover)], { mover, input })
    await run()
    expect(ends(events).filter((each) => each.startsWith('t1'))).toEqual(['t1 q0 success'])
  })

  test('fails a routine on an edge whose current no source can hold', async () => {
    const mover = new RecordingMover(['q1_q2'])
    const { run } = setUp([coupling(() => undefined, mover)], { chip: lineChip(2), mover })
    const { results } = await run()
    expect(results[0]?.outcome.error).toMatchObject({
      ...{ code: 'no_source', message: 'q0_q1: no source can hold a parking current' },
    })
  })

  test('stops when a current cannot be restored', async () => {
    const mover = new RecordingMover(['q0_q1', 'q1_q2'])
    const cut = coupling((each) => {
      each.isCut = true
    }, mover)
    const { run } = setUp([cut], { mover })
    const { stopped, results } = await run()
    expect(stopped).toBe('coupler q0_q1 holds 1 mA instead of 0 mA: the line is cut')
    expect(results).toEqual([])
  })

  test('ends with what it has when it is stopped, and restores currents fast', async () => {
    const stop = new AbortController()
    const mover = new RecordingMover(['q0_q1'])
    const stopping = coupling(() => stop.abort(new CalibrationError('calibration stopped')), mover)
    const before = scriptedRoutine({ name: 'find', writes: ['a'] }, () => found('a', 1))
    const { run } = setUp([before, stopping], { chip: lineChip(2), mover, runner: { signal: stop.signal } })
    const { stopped, results } = await run()
    expect(stopped).toBe('calibration stopped')
    expect(results).toHaveLength(2)
    expect(mover.log).toEqual(['q0_q1 0.002', 'q0_q1 back fast'])
  })
})
