import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { silentLog } from '../../../src/base/index.ts'
import { openSimulatedChip } from '../../../src/devices/bench/simulated/open-simulated-chip.ts'
import type { SimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { createRng } from '../../../src/devices/index.ts'
import { provideSdk } from '../../../src/devices/provide-sdk.ts'
import { openPythonRoutines } from '../../../src/devices/tuning/python-routines/open-routines.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../../src/devices/tuning/tuner-options.ts'
import type { CalibrationFindings } from '../../../src/protocol/index.ts'
import { EPOCH } from '../simulated-chip/chips.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { designFile, FIRST_BIAS_SLOT } from '../tuning/acceptance/design-file.ts'
import { FakeCluster } from './fake-cluster.ts'
import { readHardware } from './open-cluster.ts'
import { chipSource } from './physical/chip-source.ts'
import { withCouplers } from './physical/couplers.ts'
import { SkippingClock } from './skipping-clock.ts'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../../examples/scheduler.hardware.json'), 'utf8')
/** Time limit of a routine, s: two days, which the clock tells from waits. */
const TIMEOUT_S = 172_800
const never = new AbortController().signal

interface TunerLabOptions {
  scpiVersion: string
  /** Up to five, in a row; the couplers between them are driven by a module of their own. */
  qubits: number
  /** Of the chip. */
  seed: number
  /** What `calibration.yml` has beside the time limit of routines. */
  config?: object
}

/** A tuner and a fake cluster, at whose outputs is a simulated chip that was drawn around a design file. */
export interface TunerLab extends AsyncDisposable {
  readonly cluster: FakeCluster
  readonly chip: SimulatedChip
  readonly clock: SkippingClock
  readonly folder: string
  readonly devicePath: string
  readonly hardwarePath: string
  /** Opens the tuner, calibrates, and closes it. */
  calibrate(): Promise<CalibrationFindings>
}

/** Starts the cluster with the chip, and writes the files of the tuner. */
export async function openTunerLab(options: TunerLabOptions): Promise<TunerLab> {
  const { scpiVersion, qubits, seed, config = {} } = options
  const folder = temporaryFolder()
  const at = (name: string) => join(folder.path, name)
  const [devicePath, hardwarePath] = [at('scheduler.device.yml'), at('scheduler.hardware.json')]
  const design = designFile({ columns: qubits, rows: 1, source: 'qcm' })
  writeFileSync(devicePath, design)
  writeFileSync(at('calibration.yml'), stringify({ version: 1, routine_timeout_s: TIMEOUT_S, ...config }))
  const content = JSON.parse(EXAMPLE)
  const described = content.hardware_description.cluster0
  described.modules[FIRST_BIAS_SLOT] = { instrument_type: 'QCM' }
  const hardware = readHardware(JSON.stringify(content))
  const file = readDeviceFile(design)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const clock = new SkippingClock(Date.parse(EPOCH))
  const chip = await openSimulatedChip({ chip: file.chip, dataDir: folder.path, clock, seed })
  const modules = hardware.clusters[0]?.modules ?? new Map()
  const cluster = await FakeCluster.start({ modules, scpiVersion })
  cluster.source = withCouplers(chipSource(chip, hardware), cluster, chip, file.chip.edges)
  const { host, port, moduleBase } = cluster.address
  Object.assign(described, { ip: `${host}:${port}`, module_base_port: moduleBase })
  writeFileSync(hardwarePath, JSON.stringify(content))

  async function calibrate(): Promise<CalibrationFindings> {
    const defaults = Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default])
    const options = {
      ...{ ...Object.fromEntries(defaults), calibration_config: at('calibration.yml') },
      ...{ scheduler_device_config: devicePath, scheduler_hardware_config: hardwarePath },
    } as TunerOptions
    const tuner = await createTuner(
      {
        ...{ name: 'tuner', device: 'scheduler_a_tuner', options, raw: {}, environment: {} },
        ...{ dataDir: folder.path, log: silentLog, clock, signal: never },
        random: (of = seed) => createRng(of),
      },
      {
        ...{ routines: BUILT_IN_ROUTINES, provideSdk, openPythonRoutines },
        openSimulated: () => Promise.reject(new Error('not asked for')),
      },
    )
    await tuner.start({ emit: () => undefined, signal: never, calibrateNow: async () => undefined })
    try {
      return await tuner.calibrate(
        { runId: 'run000000000001', id: null, mode: 'full', targetQubits: [] },
        { signal: never, progress: () => undefined },
      )
    } finally {
      await tuner.stop?.({ extend: () => undefined })
    }
  }

  return {
    ...{ cluster, chip, clock, devicePath, hardwarePath, calibrate, folder: folder.path },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
