import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { TRUTH_FILE } from '../../src/devices/bench/simulated/truth/store.ts'
import { readDeviceFile } from '../../src/devices/chip/device-file.ts'
import type { CalibrationFindings, CalibrationStep } from '../../src/protocol/index.ts'
import { quietTruth } from '../support/simulated-chip/chips.ts'
import { configOf, deviceText } from '../support/tuning/pair-lab.ts'
import { until } from '../support/until.ts'
import { part } from '../support/whole.ts'
import { openBench } from './support/driver.ts'

/** Stops of each routine, spread over its time. */
const STOPS = part(34, 1)
const LATEST_MS = 1_500
/** Every other stop in the write comes so long after the last routine, at most. */
const AROUND_WRITE_MS = 60

const ROUTINES: [string, Record<string, string>][] = [
  ['cz_rb', { cz_rb: '{}' }],
  ['process_tomography', { process_tomography: '{}' }],
  ['write', { ramsey_correction: '{}', n_rabi_oscillations: '{}' }],
]

const CASES = ROUTINES.flatMap(([name, enabled]) =>
  Array.from({ length: STOPS }, (_, at) => [name, at, enabled] as const),
)

test.each(CASES)(
  'a tuner that is stopped in %s reports its run as it was, stop %i',
  async (name, at, enabled) => {
    await using bench = await openBench()
    const truth = { ...quietTruth(2, 3), shots_noise: true }
    const device = join(bench.folder, 'scheduler.device.yml')
    const config = join(bench.folder, 'calibration.yml')
    const before = deviceText(truth).replace(/ {2}bias: .*\n/, '')
    writeFileSync(device, before)
    writeFileSync(config, configOf(enabled))
    mkdirSync(join(bench.folder, 'data'), { recursive: true, mode: 0o700 })
    writeFileSync(join(bench.folder, 'data', TRUTH_FILE), stringify(truth))
    const option = [
      ...['is_simulated=true', `scheduler_device_config=${device}`],
      `calibration_config=${config}`,
    ]
    const driver = await bench.attach({ operation: 'calibrate', device: 'scheduler_a_tuner', option })
    bench.server.push({ type: 'SetMaintenance', on: false, reason: '', knows_aborted: true })
    bench.server.push({
      ...{ type: 'RunCalibration', run_id: 'run000000000001', request_id: 'request00000001', epoch: 1 },
      ...{ mode: 'full', target_qubits: [], limit_ms: 0 },
    })
    const steps = () =>
      bench.server.eventsOf('CalibrationProgress').map(({ payload }) => payload as CalibrationStep)
    const last = Object.keys(enabled).at(-1)
    // Steps that follow each other fast are sent as one.
    const seen = (isMeant: (step: CalibrationStep) => boolean) => () =>
      bench.server.eventsOf('CalibrationReport').length > 0 || steps().some(isMeant)
    await until(
      'the routine to run',
      seen(({ routine, phase }) => routine === last || phase === 'write'),
    )
    const share = (at + 0.5) / STOPS
    if (name === 'write' && at % 2 === 0) {
      await until(
        'the last routine to end',
        seen(({ ok = 0, phase }) => ok >= 3 || phase === 'write'),
      )
      await Bun.sleep(share * AROUND_WRITE_MS)
    } else await Bun.sleep(share * LATEST_MS)
    await driver.stop()
    const { payload } = await bench.event('CalibrationReport')
    const { status, device_file, routines = [] } = payload as CalibrationFindings
    expect(['aborted', 'success']).toContain(status)
    const after = readFileSync(device, 'utf8')
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(hash(after)).toBe(device_file?.after ?? hash(before))
    const file = readDeviceFile(after)
    if ('problems' in file) throw new Error(file.problems.join('\n'))
    const parameters = routines.flatMap(({ target, parameters = {} }) =>
      Object.entries(parameters).map(([path, parameter]) => ({ target, path, ...parameter })),
    )
    for (const { target, path, value, written } of parameters) {
      const isInFile = Number(file.chip.element(target)?.values.get(path)).toPrecision(10)
      if (written) expect(Number(isInFile)).toBe(Number(value))
    }
    expect(parameters.some(({ written }) => written)).toBe(device_file !== null)
  },
  60_000,
)
