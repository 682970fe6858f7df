import { afterAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { readDeviceFile } from '../../../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../../../src/devices/chip/provenance/provenance.ts'
import { describeScheduler } from '../../../../../src/devices/scheduler/describe.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { countsOn, openLine } from '../../../../support/tuning/readout-line.ts'
import { RUNS_WHOLE, rows } from '../../../../support/whole.ts'

const QUBITS = 3
const SHOTS = 4_000
/** Shots of all states of the line that the routine reads. */
const LINE_SHOTS = 2_000 * 2 ** QUBITS
const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const together = (gate: string) =>
  `${HEAD} bit[${QUBITS}] c; ${Array.from({ length: QUBITS }, (_, at) => `${gate} $${at}; c[${at}] = measure $${at};`).join(' ')}`
const alone = (qubit: number) => `${HEAD} bit c; c = measure $${qubit};`
const pair = `${HEAD} bit[2] c; c[0] = measure $0; c[1] = measure $2;`

interface LineData {
  qubits: string[]
  matrix?: number[][]
  assignments: number[][][]
  correlations: number[][]
  one_alone: number
  one_beside: number
}

const used = new DisposableStack()
afterAll(() => used.dispose())

/** A line after its full calibration, whose readout is calibrated, and what that has found. */
async function calibratedLine(crosstalk: number, seed: number) {
  const { path: folder } = used.use(temporaryFolder())
  const bench = await openLine({ folder, qubits: QUBITS, crosstalk, seed, more: ['readout_fidelity'] })
  const findings = await bench.calibrate()
  const runRoutine = (routine: string, targets: string[], write = false) =>
    bench.tuner.runRoutine?.(
      { runId: 'run000000000002', routine, targets, write },
      { signal: new AbortController().signal, progress: () => undefined },
    )
  return { folder, bench, findings, runRoutine }
}

/** The lines are calibrated once for all tests, which leave their files as they were. */
const LINES = (RUNS_WHOLE ? [1, 2, 3, 4, 5, 6, 7, 8] : [1]).flatMap((seed) =>
  rows([0.05, 0.02], 1).map((crosstalk) => {
    let line: ReturnType<typeof calibratedLine> | undefined
    const open = () => {
      line ??= calibratedLine(crosstalk, seed)
      return line
    }
    return { crosstalk, seed, open }
  }),
)

test.each(LINES)(
  'a line reads idle qubits as well together as alone, $crosstalk $seed',
  async ({ open }) => {
    const { bench, findings, folder } = await open()
    expect([findings.status, findings.errors]).toEqual(['success', []])
    const programs = [together('id'), ...[0, 1, 2].map(alone), pair, together('x')]
    const [idle = {}, ...counts] = await countsOn(bench, folder, programs, SHOTS)
    const shareOf = (of: Record<string, number>, bit: number) =>
      Object.entries(of).reduce((sum, [bits, count]) => sum + (bits.at(-1 - bit) === '1' ? count : 0), 0) /
      SHOTS
    const wrong = [0, 1, 2].map((qubit) => shareOf(counts[qubit] ?? {}, 0))
    const error = (share: number) => Math.sqrt((share * (1 - share) + 1 / SHOTS) / SHOTS)
    for (const [qubit, share] of wrong.entries())
      expect(shareOf(idle, qubit)).toBeLessThan(2 * share + 4 * error(share))
    expect(shareOf(counts[3] ?? {}, 0)).toBeLessThan(2 * (wrong[0] ?? 0) + 4 * error(wrong[0] ?? 0))
  },
  120_000,
)

test('a line is read together in all states, or refused with figures', async () => {
  const { bench, runRoutine } = await (LINES[0] as (typeof LINES)[number]).open()
  const good = await runRoutine('line_readout', [])
  expect([good?.status, good?.errors]).toEqual(['success', []])
  const entries = good?.benchmarks ?? []
  expect(entries.map(({ target }) => target).sort()).toEqual(['q0', 'q1', 'q2'])
  for (const { target, fidelity, fidelity_error, raw_data } of entries) {
    expect(fidelity).toBeGreaterThan(0.93)
    // Half of all shots prepare each state of a qubit.
    const [[, zero = 0] = [], [one = 0] = []] = Object(raw_data).assignments[Number(target.at(-1))]
    const shots = LINE_SHOTS / 2
    const spreads = [zero, one].map((share) => Math.sqrt((share * (1 - share)) / shots))
    // One shot more, for shares without an error.
    expect(Number(fidelity_error) / (Math.hypot(...spreads, 1 / shots) / 2)).toBeCloseTo(1, 6)
  }
  const first = entries[0]?.raw_data as LineData
  expect(first.qubits).toEqual(['q0', 'q1', 'q2'])
  expect(first.one_beside).toBeLessThan(2 * first.one_alone + 0.01)
  expect(first.matrix).toHaveLength(8)
  for (const row of first.matrix ?? []) expect(row.reduce((sum, share) => sum + share)).toBeCloseTo(1, 4)
  // The lowest bit of an outcome is the first qubit of the line.
  const asOne = [1, 3, 5, 7].reduce((sum, outcome) => sum + (first.matrix?.[1]?.[outcome] ?? 0), 0)
  expect(asOne).toBeGreaterThan(0.9)
  expect(first.correlations.map((row, at) => row[at])).toEqual([1, 1, 1])

  // As a file of an earlier version has it, which knows nothing of the others.
  const text = readFileSync(bench.devicePath, 'utf8')
  expect(text).toContain('tone_shifts')
  writeFileSync(bench.devicePath, text.replaceAll(/,? *tone_shifts: \[[^\]]*\]/g, ''))
  const bad = await runRoutine('line_readout', [])
  writeFileSync(bench.devicePath, text)
  expect(bad?.status).not.toBe('success')
  expect(bad?.errors?.join('\n')).toMatch(
    /q\d line_readout: readout_crosstalk read beside q\d, q\d, q\d in 0 is 1 in [\d.]+ % of the shots, alone in [\d.]+ %/,
  )
}, 120_000)

test.each(LINES.filter(({ seed }) => seed === 1))(
  'a full calibration reads a line together at its end, and clients get its assignment: $crosstalk',
  async ({ open }) => {
    const { bench, findings, runRoutine } = await open()
    const { status, errors, notes, benchmarks } = findings
    expect([status, errors]).toEqual(['success', []])
    // Each is read as 1 in less than twice as many of the shots as alone, or fails.
    expect(
      notes?.filter((note) => /^errors verified by line_readout: q0 .* %, q1 .* %, q2 .* %$/.test(note)),
    ).toHaveLength(1)
    const line = benchmarks?.filter(({ protocol }) => protocol === 'line_readout') ?? []
    expect(line.map(({ target, raw_data }) => [target, Object(raw_data).matrix?.length])).toEqual([['q0', 8]])

    const describe = () => {
      const file = readDeviceFile(readFileSync(bench.devicePath, 'utf8'))
      if ('problems' in file) throw new Error(file.problems.join('\n'))
      const provenance = Provenance.read(bench.devicePath)
      return describeScheduler({
        ...{ chip: file.chip, hardware: undefined, backend: 'simulated', deviceConfig: '', provenance },
      }).qubits
    }
    const [first, ...others] = describe() ?? []
    expect(first?.readout_line?.qubits).toEqual([0, 1, 2])
    expect(first?.readout_line?.assignment).toEqual(Object(line[0]?.raw_data).matrix)
    expect(others.map(({ readout_line }) => readout_line)).toEqual([undefined, undefined])

    // It holds for this readout only.
    await runRoutine('two_state_discrimination', ['q1'], true)
    expect(describe()?.[0]?.readout_line).toBeUndefined()
  },
  120_000,
)
