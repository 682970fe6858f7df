import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOUR_MS } from '../../../../src/base/index.ts'
import { CalibrationError } from '../../../../src/devices/errors.ts'
import { readStep, writeStep } from '../../../../src/devices/tuning/continuation/journaled-step.ts'
import { STEP_JOURNAL_FOLDER } from '../../../../src/devices/tuning/continuation/step-journal.ts'
import { type Routine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import type { NodeOutcome } from '../../../../src/devices/tuning/walk/run-node.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibrationRuns, ROUTINES } from '../../../support/tuning/calibration-runs.ts'

const [FIRST, SECOND, THIRD] = ['request00000001', 'request00000002', 'request00000003']
const journalOf = (folder: string, id = FIRST) => join(folder, STEP_JOURNAL_FOLDER, `${id}.jsonl`)

/** The routines without checks, whose measurements are counted; `stop` ends the run at the given one. */
function counted(stopAt = Number.POSITIVE_INFINITY, isChecked: (target: string) => boolean = () => true) {
  const stop = new AbortController()
  const measured: string[] = []
  const routines = ROUTINES.map((routine): Routine => {
    const { check: _, ...rest } = routine
    return {
      ...rest,
      *measure(context) {
        // The benchmarks of a verification have other sizes.
        if (context.shots(1) !== 1) return yield* routine.measure(context)
        measured.push(`${routine.name} ${context.target}`)
        if (measured.length === stopAt) stop.abort(new CalibrationError('the driver was stopped'))
        return yield* routine.measure(context)
      },
      ...(routine.name === 'qubit_01_spectroscopy' && {
        // biome-ignore lint/correctness/useYield: it decides without a measurement
        *check({ target, self }: Parameters<NonNullable<Routine['check']>>[0]) {
          // A check judges the value of the step, not that of the device file.
          const isFound = self.number('clock_freqs.f01') === (target === 'q1' ? 5.001e9 : 4.5e9)
          return { state: isFound && isChecked(target) ? ('in' as const) : ('out' as const), margin: 0 }
        },
      }),
    }
  })
  return { routines, measured, stop }
}

describe('a calibration that ended early', () => {
  test('is continued: finished steps are not repeated, and the device file is that of one run', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    const undisturbed = counted()
    using other = temporaryFolder()
    const whole = calibrationRuns(other.path)
    await whole.run({ ...undisturbed, id: FIRST })
    expect(readdirSync(join(other.path, STEP_JOURNAL_FOLDER))).toEqual([])

    const begun = counted(4)
    expect((await run({ ...begun, id: FIRST })).status).toBe('aborted')
    const again = counted(2)
    expect((await run({ ...again, id: SECOND, resume: FIRST })).status).toBe('aborted')
    const last = counted()
    const findings = await run({ ...last, id: THIRD, resume: FIRST })
    expect(findings.status).toBe('success')
    expect(findings.routines?.map(({ routine, target }) => `${routine} ${target}`)).toEqual(
      undisturbed.measured,
    )
    // A step that was being measured when the run ended is measured again.
    expect([...begun.measured.slice(0, 3), ...again.measured.slice(0, 1), ...last.measured]).toEqual(
      undisturbed.measured,
    )
    expect(text()).toBe(whole.text())
    expect(findings.notes).toContain(`continues request ${FIRST}: 4 steps are as that run had finished them`)
    expect(existsSync(journalOf(folder.path))).toBe(false)
  })

  test('repeats a step that is too old or whose check does not pass, and what follows from it', async () => {
    let isAskedAgain = false
    /** Out once: that the run measures it again mends it. */
    const outOnce = (target: string) => {
      const isIn = target !== 'q1' || isAskedAgain
      isAskedAgain ||= target === 'q1'
      return isIn
    }
    for (const { isChecked, age } of [
      { isChecked: outOnce, age: 0 },
      { isChecked: () => true, age: 13 * HOUR_MS },
    ]) {
      using folder = temporaryFolder()
      const { run } = calibrationRuns(folder.path)
      await run({ ...counted(6), id: FIRST })
      const clock = new FakeClock(new FakeClock().now() + age)
      const last = counted(undefined, isChecked)
      const findings = await run({ ...last, id: SECOND, resume: FIRST, clock })
      expect(findings.status).toBe('success')
      const onQ1 = ['qubit_01_spectroscopy q1', 'rabi_oscillations q1', 'randomized_benchmarking q1']
      if (age === 0) expect(last.measured).toEqual(onQ1)
      else expect(last.measured).toHaveLength(6)
      expect(findings.notes?.find((note) => note.startsWith('continues'))).toContain('were measured again')
    }
  })

  test('is continued where it was stopped while it verified its end', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    const before = text()
    const begun = counted(undefined, () => {
      begun.stop.abort(new CalibrationError('the driver was stopped'))
      return true
    })
    expect((await run({ ...begun, id: FIRST })).status).toBe('aborted')
    expect([begun.measured.length, text()]).toEqual([6, before])
    const last = counted()
    expect((await run({ ...last, id: SECOND, resume: FIRST })).status).toBe('success')
    expect(last.measured).toEqual([])
    expect(text()).not.toBe(before)
  })

  test('measures a step again that failed, and takes one over that has no clear result', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    const failing = (stopAt: number | undefined, codes: Readonly<Record<string, string>>) => {
      const { routines, measured, stop } = counted(stopAt)
      const failed = routines.map(
        (routine): Routine => ({
          ...routine,
          refiner: routine.name === 'rabi_oscillations',
          *measure(context) {
            const finding = yield* routine.measure(context)
            const code = codes[`${routine.name} ${context.target}`]
            if (code !== undefined) throw new RoutineError(code, 'as scripted')
            return finding
          },
        }),
      )
      return { routines: failed, measured, stop }
    }
    const codes = {
      'qubit_01_spectroscopy q1': 'not_playable',
      'rabi_oscillations q0': 'unresolved',
      'randomized_benchmarking q0': 'declined',
    }
    const config = 'max_attempts: 1'
    await run({ ...failing(5, codes), config, id: FIRST })
    const last = failing(undefined, {})
    const findings = await run({ ...last, config, id: SECOND, resume: FIRST })
    expect(last.measured).toEqual([
      ...['qubit_01_spectroscopy q1', 'rabi_oscillations q1', 'randomized_benchmarking q1'],
    ])
    expect(findings.status).toBe('success')
    expect(findings.notes?.find((note) => note.startsWith('continues'))).toContain('1 were measured again')
  })

  test('does not take over what followed a step that a continuation replaced before it ended early', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    await run({ ...counted(6), id: FIRST })
    const again = counted(2, (target) => target !== 'q1')
    expect((await run({ ...again, id: SECOND, resume: FIRST })).status).toBe('aborted')
    expect(again.measured).toEqual(['qubit_01_spectroscopy q1', 'rabi_oscillations q1'])
    const last = counted()
    expect((await run({ ...last, id: THIRD, resume: FIRST })).status).toBe('success')
    expect(last.measured).toEqual(['rabi_oscillations q1', 'randomized_benchmarking q1'])
  })

  test('names a damaged step, and measures it again with all that followed', async () => {
    using folder = temporaryFolder()
    const { run, devicePath, text } = calibrationRuns(folder.path)
    const before = text()
    await run({ ...counted(6), id: FIRST })
    const whole = readFileSync(journalOf(folder.path), 'utf8')
    const lines = whole.split('\n')
    for (const damaged of [lines[3]?.replace('0.45', '0.46'), lines[3]?.slice(40), '']) {
      writeFileSync(journalOf(folder.path), lines.with(3, damaged ?? '').join('\n'))
      const again = counted(2)
      const aborted = await run({ ...again, id: SECOND, resume: FIRST })
      const damage = `line 4 of ${journalOf(folder.path)} is damaged`
      expect(aborted.notes).toContain(`${damage}: that step and 2 after it are measured again`)
      expect(again.measured).toEqual(['rabi_oscillations q0', 'rabi_oscillations q1'])
      const last = counted()
      const findings = await run({ ...last, id: THIRD, resume: FIRST })
      expect(findings.notes).toContain(
        `continues request ${FIRST}: 3 steps are as that run had finished them`,
      )
      expect(findings.notes?.join()).not.toContain('damaged')
      writeFileSync(devicePath, before)
    }
    writeFileSync(journalOf(folder.path), lines.with(1, 'x').join('\n'))
    const resumed = run({ ...counted(), id: SECOND, resume: FIRST })
    await expect(resumed).rejects.toThrow(`line 2 of ${journalOf(folder.path)} is damaged`)
  })

  test('keeps failures and values as they were, also those that JSON does not have', () => {
    const outcome: NodeOutcome = {
      ...{ target: 'q0', attempts: 2, startedAt: 5, durationS: 0.5, hasLeftConfig: false, remarks: ['cut'] },
      finding: { parameters: { a: { value: [1, Number.NaN] } }, quality: { r2: Number.NEGATIVE_INFINITY } },
      error: undefined,
    }
    const step = { routine: 't1', occurrence: 2, outcome }
    expect(readStep(writeStep(step))).toEqual(step)
    const rawData = { populations: Float64Array.of(0.5, Number.POSITIVE_INFINITY) }
    const floats = { ...step, outcome: { ...outcome, finding: { benchmark: { metric: 'm', rawData } } } }
    expect(readStep(writeStep(floats))?.outcome.finding?.benchmark?.rawData).toEqual({
      populations: [0.5, Number.POSITIVE_INFINITY],
    })
    const error = new RoutineError('no_signal', 'nothing', { quality: { r2: 0.1 } })
    const failed = { ...step, outcome: { ...outcome, finding: undefined, error } }
    const read = readStep(writeStep(failed))?.outcome.error
    expect(read).toBeInstanceOf(RoutineError)
    expect([read?.code, read?.message, read?.quality, read?.trace]).toEqual([
      ...['no_signal', 'nothing', { r2: 0.1 }, undefined],
    ])
    expect(readStep('{"routine":"t1"}')).toBeUndefined()
  })

  test('says why nothing is left to continue', async () => {
    using folder = temporaryFolder()
    const { run, devicePath, text } = calibrationRuns(folder.path)
    const resumed = (options = {}) => run({ ...counted(), id: SECOND, resume: FIRST, ...options })
    await expect(resumed()).rejects.toThrow(`this tuner has no steps of request ${FIRST}`)
    await run({ ...counted(1), id: FIRST })
    await expect(resumed()).rejects.toThrow(`no step of request ${FIRST} had ended`)
    await run({ ...counted(3), id: FIRST })
    await expect(resumed({ mode: 'fidelity_check' })).rejects.toThrow(`request ${FIRST} was for full`)
    await expect(resumed({ config: 'version: 1' })).rejects.toThrow('the calibration file is not as request')
    const before = text()
    writeFileSync(devicePath, before.replace('0.5}', '0.51}'))
    await expect(resumed()).rejects.toThrow('nothing is left to continue: the device file is not as request')
    writeFileSync(devicePath, before)
    appendFileSync(journalOf(folder.path), '{"routine":"rabi_os')
    expect((await resumed()).status).toBe('success')
    await run({ ...counted(3), id: FIRST })
    writeFileSync(journalOf(folder.path), 'x\n')
    await expect(resumed()).rejects.toThrow('is damaged or of another release')
  })

  test('keeps the steps of five runs, for a week', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    const ids = Array.from({ length: 7 }, (_, at) => `request0000000${at}`)
    for (const [at, id] of ids.entries()) {
      await run({ ...counted(2), id })
      utimesSync(journalOf(folder.path, id), at, new FakeClock().now() / 1_000 + at)
    }
    const kept = () => readdirSync(join(folder.path, STEP_JOURNAL_FOLDER)).sort()
    expect(kept()).toEqual(ids.slice(2).map((id) => `${id}.jsonl`))
    const clock = new FakeClock(new FakeClock().now() + 8 * 24 * HOUR_MS)
    await run({ ...counted(2), id: FIRST, clock })
    expect(kept()).toEqual([`${FIRST}.jsonl`])
  })

  test('keeps no steps of a calibration that the tuner started itself', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    await run(counted(3))
    expect(existsSync(join(folder.path, STEP_JOURNAL_FOLDER))).toBe(false)
  })
})
