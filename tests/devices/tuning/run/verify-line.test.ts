import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../../src/devices/chip/provenance/provenance.ts'
import { describeScheduler } from '../../../../src/devices/scheduler/describe.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { openLine } from '../../../support/tuning/readout-line.ts'
import { part } from '../../../support/whole.ts'

test.each([0.05, 0.02].slice(0, part(2, 1)))(
  'a full calibration reads a line together at its end, and clients get its assignment: crosstalk %p',
  async (crosstalk) => {
    using folder = temporaryFolder()
    const bench = await openLine({ folder: folder.path, qubits: 3, crosstalk, more: ['readout_fidelity'] })
    const { status, errors, notes, benchmarks } = await bench.calibrate()
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
    await bench.tuner.runRoutine?.(
      { runId: 'run000000000002', routine: 'two_state_discrimination', targets: ['q1'], write: true },
      { signal: new AbortController().signal, progress: () => undefined },
    )
    expect(describe()?.[0]?.readout_line).toBeUndefined()
  },
  60_000,
)
