import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CalibrationError } from '../../../src/devices/errors.ts'
import { quietTruth } from '../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { pairLab, simulatedAt } from '../../support/tuning/pair-lab.ts'

/** A pair whose coupler is not where it is parked when the tuner starts. */
const TRUTH = { ...quietTruth(2, 8), shots_noise: true }
const ROUTINES = {
  ramsey_correction: '{}',
  coupler_anticrossing: '{current: {points: 41}}',
  t1: '{}',
}
/** Enough where only the currents count. */
const FEW_ROUTINES = { coupler_anticrossing: '{current: {points: 21}}' }
const USUAL_RATE = 40e-6
const ABORT_RATE = 1e-3

function journalOf(folder: string): string {
  return join(folder, 'bias.journal.json')
}

describe('the current of a coupler', () => {
  test('is the found one after a run that wrote it, and its qubits are measured there', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, { routines: ROUTINES })
    const { status, errors, notes = [], routines = [] } = await lab.run('full')
    expect([status, errors]).toEqual(['success', []])
    const parking = lab.value(lab.edge, 'bias.parking_current') as number
    // The truth has it as far from the sweet spot, on this side or the other.
    const { held_at_start: truly = 0, offset = 0 } = TRUTH.edges[lab.edge] ?? {}
    expect(Math.abs(Math.abs(parking - offset) - Math.abs(truly - offset))).toBeLessThan(25e-6)
    expect(lab.chip.currents.heldIn(lab.edge)).toBeCloseTo(parking, 7)
    expect(existsSync(journalOf(folder.path))).toBe(false)
    expect(notes).toContain(`q0_q1: coupler parked at ${Number((parking * 1e3).toFixed(4))} mA`)
    const [before, after] = ['before', 'after'].map((_, at) =>
      routines.filter(({ routine, target }) => routine === 'ramsey_correction' && target === 'q0').at(at),
    )
    expect(before?.parameters?.['clock_freqs.f01']).not.toEqual(after?.parameters?.['clock_freqs.f01'])
    for (const [qubit, { f01 }] of lab.chip.conditions().transmons) {
      expect(Math.abs((lab.value(qubit, 'clock_freqs.f01') as number) - f01)).toBeLessThan(2_000)
    }
    expect(lab.steps.some(({ phase, target }) => phase === 'write' && target === lab.edge)).toBe(true)
    expect(new Set(lab.ramps.map(({ rate }) => rate))).toEqual(new Set([USUAL_RATE]))

    // The next runs find it there; a fidelity check moves nothing, and writes nothing.
    const text = readFileSync(lab.path, 'utf8')
    const moves = lab.ramps.length
    await lab.run('fidelity_check')
    expect(lab.ramps).toHaveLength(moves)
    expect(readFileSync(lab.path, 'utf8')).toBe(text)
    expect(lab.chip.currents.heldIn(lab.edge)).toBeCloseTo(parking, 7)

    // A coupler that has moved is found out, and parked again where it is now.
    const moved = structuredClone(TRUTH)
    const coupler = moved.edges[lab.edge]
    if (coupler) coupler.offset += 150e-6
    const chip = simulatedAt(moved, lab.chip.currents.heldIn(lab.edge))
    const later = await pairLab(folder.path, moved, { routines: ROUTINES, chip })
    const partial = await later.run('partial', undefined, ['q0'])
    expect([partial.status, partial.errors]).toEqual(['success', []])
    expect(partial.notes?.some((note) => note.startsWith('q0_q1: check of coupler_anticrossing out'))).toBe(
      true,
    )
    const again = later.value(later.edge, 'bias.parking_current') as number
    expect(Math.abs(again - parking - 150e-6)).toBeLessThan(10e-6)
    expect(chip.currents.heldIn(later.edge)).toBeCloseTo(again, 7)
  })

  test('is the former one after a run whose device file could not be written', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, { routines: FEW_ROUTINES })
    const { status, errors, notes } = await lab.run('full', ({ phase }) => {
      if (phase === 'write') writeFileSync(lab.path, 'q0: {')
    })
    expect(status).toBe('failed')
    expect(errors).toHaveLength(1)
    expect(notes).toContain('q0_q1: coupler returned to its former current, the new one is not kept')
    expect(lab.chip.currents.heldIn(lab.edge)).toBe(0)
    expect(lab.ramps.at(-1)).toEqual({ amps: 0, rate: USUAL_RATE })
    expect(existsSync(journalOf(folder.path))).toBe(false)
    expect(readFileSync(lab.path, 'utf8')).toBe('q0: {')
  })

  test('is back at once when a run is stopped during its sweep', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, {
      routines: FEW_ROUTINES,
      onRamp(count) {
        if (count !== 5) return
        expect(JSON.parse(readFileSync(journalOf(folder.path), 'utf8'))).toMatchObject({
          entries: [{ edge: 'q0_q1', before: 0, run: 'run000000000001' }],
        })
        lab.stop.abort(new CalibrationError('calibration stopped'))
      },
    })
    const { status, errors } = await lab.run('full')
    expect([status, errors?.[0]]).toEqual(['aborted', 'calibration stopped'])
    expect(lab.ramps.at(-1)).toEqual({ amps: 0, rate: ABORT_RATE })
    expect(lab.ramps).toHaveLength(6)
    expect(lab.chip.currents.heldIn(lab.edge)).toBe(0)
    expect(existsSync(journalOf(folder.path))).toBe(false)
  })

  test('is back at once when a run is stopped after it was parked', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, { routines: FEW_ROUTINES })
    const text = readFileSync(lab.path, 'utf8')
    const { status } = await lab.run('full', ({ phase }) => {
      if (phase === 'write') lab.stop.abort(new CalibrationError('calibration stopped'))
    })
    expect(status).toBe('aborted')
    expect(lab.ramps.at(-1)).toEqual({ amps: 0, rate: ABORT_RATE })
    expect(lab.chip.currents.heldIn(lab.edge)).toBe(0)
    expect(readFileSync(lab.path, 'utf8')).toBe(text)
    expect(existsSync(journalOf(folder.path))).toBe(false)
  })

  test('is restored by the next tuner, before anything else, when the source or the process is lost', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, {
      routines: FEW_ROUTINES,
      onRamp(count) {
        if (count > 7) throw new Error('the line is cut')
      },
    })
    const { errors } = await lab.run('full')
    expect(errors?.[0]).toMatch(
      /^coupler q0_q1 holds -?\d\.\d{4} mA instead of 0\.0000 mA \(simulated output\): the line is cut$/,
    )
    expect(lab.chip.currents.heldIn(lab.edge)).not.toBe(0)
    expect(existsSync(journalOf(folder.path))).toBe(true)

    const next = await pairLab(folder.path, TRUTH, { routines: FEW_ROUTINES, chip: lab.chip })
    await next.tuner.start?.({ calibrateNow: async () => undefined } as never)
    expect(next.ramps).toEqual([{ amps: 0, rate: ABORT_RATE }])
    expect(lab.chip.currents.heldIn(lab.edge)).toBe(0)
    expect(existsSync(journalOf(folder.path))).toBe(false)
  })

  test('is the former one after a single routine that writes nothing', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, { routines: FEW_ROUTINES })
    const request = {
      runId: 'run000000000001',
      routine: 'coupler_anticrossing',
      targets: [lab.edge],
      write: false,
    }
    const io = { signal: lab.stop.signal, progress: () => undefined }
    const findings = await lab.tuner.runRoutine?.(request, io as never)
    expect(findings?.routines).toHaveLength(1)
    expect(findings?.routines?.[0]).toMatchObject({ routine: 'coupler_anticrossing', status: 'success' })
    expect(lab.ramps.filter(({ amps }) => amps === 0)).toHaveLength(2)
    expect(lab.ramps.at(-1)).toEqual({ amps: 0, rate: USUAL_RATE })
    expect(existsSync(journalOf(folder.path))).toBe(false)
  })

  test('cannot be moved by a dummy, which fails the routine and no other for this reason', async () => {
    using folder = temporaryFolder()
    const lab = await pairLab(folder.path, TRUTH, { routines: FEW_ROUTINES, isDummy: true })
    const { routines = [] } = await lab.run('full')
    const codes = routines.map(({ routine, error }) => `${routine} ${error?.code}`)
    expect(codes.filter((each) => each.endsWith('no_source'))).toEqual(['coupler_anticrossing no_source'])
    const failed = routines.find(({ routine }) => routine === 'coupler_anticrossing')
    expect(failed?.error?.message).toBe('q0_q1: no source can hold a parking current')
    expect(lab.ramps).toEqual([])
  })
})
