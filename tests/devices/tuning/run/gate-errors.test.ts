import { expect, test } from 'bun:test'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../../src/devices/chip/provenance/provenance.ts'
import type { Benchmark } from '../../../../src/devices/tuning/routine.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibrationRuns, DEVICE_FILE } from '../../../support/tuning/calibration-runs.ts'
import { scriptedRoutine } from '../../../support/tuning/scripted.ts'

const FILE = `${DEVICE_FILE}  cz: {square_amp: 0.5, square_duration: 2.0e-7}\n`
const found = scriptedRoutine({ name: 'cz_chevron', kind: 'edge', writes: ['cz.square_duration'] }, () => ({
  parameters: { 'cz.square_duration': { value: 1.2e-7, error: 1e-9, unit: 's' } },
}))
const benchmark = (figures: Partial<Benchmark>) =>
  scriptedRoutine({ name: 'cz_rb', kind: 'edge', dependsOn: ['cz_chevron'] }, () => ({
    benchmark: { metric: 'average_gate', ...figures },
  }))
const tomography = scriptedRoutine(
  { name: 'process_tomography', kind: 'edge', dependsOn: ['cz_rb'] },
  () => ({
    benchmark: { metric: 'average_gate', fidelity: 0.7, error: 1e-3 },
  }),
)

test.each([
  ['a run', { fidelity: 0.996, error: 1e-3 }, true, 0.004],
  ['a run that finds it below a bound', { upperBound: { error: 2e-4, confidence: 0.95 } }, true, 2e-4],
  ['none without a chip', { fidelity: 0.996 }, false, undefined],
])(
  'the error of a gate is recorded for the values that it was measured with, by %s',
  async (_, figures, mayWrite, expected) => {
    using folder = temporaryFolder()
    const { run, text, devicePath } = calibrationRuns(folder.path, FILE)
    await run({ routines: [found, benchmark(figures), tomography], mayWrite })
    const file = readDeviceFile(text())
    if ('problems' in file) throw new Error(file.problems.join())
    const [edge] = file.chip.edges
    if (!edge) throw new Error('there is no edge')
    const error = Provenance.read(devicePath).gateErrorOf(edge)
    if (expected === undefined) expect(error).toBeUndefined()
    else expect(error).toBeCloseTo(expected, 12)
  },
)
