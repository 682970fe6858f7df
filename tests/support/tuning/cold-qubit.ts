import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { createSimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { designOf } from '../../../src/devices/bench/simulated/truth/design.ts'
import { drawChip } from '../../../src/devices/bench/simulated/truth/draw-chip.ts'
import { type DeviceFile, readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import type { CalibrationRequest } from '../../../src/devices/define-device.ts'
import { readCalibrationConfig } from '../../../src/devices/tuning/config/read-config.ts'
import type { Routine } from '../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { runCalibration } from '../../../src/devices/tuning/run/run-calibration.ts'
import { FakeClock } from '../fake-clock.ts'
import { EPOCH } from '../simulated-chip/chips.ts'

/** A qubit as its design has it: everything else is to be found. */
const COLD_DEVICE_FILE = `q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0], kwargs: {}}
  reset: {duration: 3.0e-4}
  rxy: {amp180: 0.5, motzoi: 0.0, duration: 5.6e-8}
  measure: {pulse_amp: 0.2, pulse_duration: 2.0e-6, acq_delay: 2.0e-7, integration_time: 1.8e-6, acq_channel: 0}
  clock_freqs: {f01: 4.42e+9, f12: 4.2e+9, readout: 6.45e+9}
`

/** The truth of a chip with this qubit, drawn around its design, without defects and drift. */
export function coldTruth(seed: number, hand: ChipTruth['hand']): ChipTruth {
  const truth = drawChip(designOf(read(COLD_DEVICE_FILE).chip), { seed, epoch: EPOCH })
  for (const qubit of Object.values(truth.qubits)) {
    delete qubit.defect
    delete qubit.switching
  }
  return { ...truth, drift: false, hand }
}

function read(text: string): DeviceFile {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  return file
}

/** A cold simulated chip of one qubit, and how a driver calibrates it on its device file in `folder`. */
export function coldQubit(folder: string, truth: ChipTruth, deviceFile = COLD_DEVICE_FILE) {
  const devicePath = join(folder, 'scheduler.device.yml')
  writeFileSync(devicePath, deviceFile)
  const clock = new FakeClock(Date.parse(EPOCH))
  const instrument = createSimulatedChip({ truth, clock })
  const signal = new AbortController().signal
  return {
    ...{ devicePath, clock },
    async calibrate(
      mode: CalibrationRequest['mode'],
      config = '',
      routines: readonly Routine[] = BUILT_IN_ROUTINES,
    ) {
      const file = read(await Bun.file(devicePath).text())
      const parsed = readCalibrationConfig(config, file.chip)
      if ('problems' in parsed) throw new Error(parsed.problems.join('\n'))
      return runCalibration(
        { runId: 'run000000000001', id: null, mode, targetQubits: mode === 'partial' ? ['q0'] : [] },
        { signal, progress: () => undefined },
        {
          ...{ backend: 'tuner+simulated', devicePath, instrument, couplers: undefined },
          ...{ clock, log: silentLog, mayWrite: true },
          limits: { qubit: 0.99, edge: 0.95, errorFactor: 3 },
        },
        { file, config: parsed, routines, notes: [] },
      )
    },
    /** A number of the device file. */
    async value(path: string): Promise<number> {
      const { chip } = read(await Bun.file(devicePath).text())
      const get: ((path: never) => unknown) | undefined = chip.element('q0')?.get
      return Number(get?.(path as never))
    },
  }
}

/** These routines, each after those of them that it follows. */
export const only = (routines: readonly Routine[]): Routine[] =>
  routines.map((each) => ({
    ...each,
    dependsOn: each.dependsOn.filter((name) => routines.some((other) => other.name === name)),
  }))
