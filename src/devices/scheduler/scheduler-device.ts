import { join } from 'node:path'
import {
  type DeviceProvenance,
  type FileState,
  type JobPayload,
  type JobResults,
  needsDiscriminators,
} from '../../protocol/index.ts'
import { type Instrument, InstrumentError } from '../bench/instrument.ts'
import { RAW_DATA_FOLDER } from '../bench/raw-data/raw-data-folder.ts'
import { RawDataSpace } from '../bench/raw-data/raw-data-space.ts'
import type { WaitLimit } from '../bench/shared-instrument.ts'
import { openChipFiles } from '../chip/chip-files.ts'
import type { DeviceFile } from '../chip/device-file.ts'
import { linesOfChip } from '../chip/hardware/lines-of-chip.ts'
import { Provenance } from '../chip/provenance/provenance.ts'
import { calibratedChipOf } from '../compiler/schedule/calibrated-chip.ts'
import type { DeviceContext, Job, JobIo, ProcessDevice } from '../define-device.ts'
import type { Schedule } from '../pulse/schedule.ts'
import { describeScheduler } from './describe.ts'
import { doubtsOf } from './doubts.ts'
import { instrumentJobError, waitOf } from './instrument-job-error.ts'
import { instrumentOf } from './open-instrument.ts'
import type { SchedulerOptions } from './options.ts'
import { outputLevels } from './output-levels.ts'
import { recordJob } from './record-job.ts'
import { runOnChip } from './run-job.ts'
import { UsedValues } from './used-values.ts'

/** Identifies the content of a device file: 12 hexadecimal digits. */
function deviceConfigOf({ sha256 }: FileState): string {
  return sha256.slice(0, 12)
}

/** The warning of every result of a dummy. */
const NO_HARDWARE = 'no hardware was used: the instrument is a dummy (is_dummy), and all its outcomes are 0'

/**
 * Creates a device that compiles circuits to pulses and plays them on an instrument. The device file is read
 * again before a job when it has changed; one that does not parse leaves the working one in use. A changed
 * hardware file is reported once.
 * @throws StartupError for an invalid device file or hardware file, and without an instrument.
 */
export async function createScheduler(context: DeviceContext<SchedulerOptions>): Promise<ProcessDevice> {
  const { options, log, clock, device } = context
  const { scheduler_device_config: devicePath, scheduler_hardware_config: hardwarePath } = options
  const { device: file, hardware: config } = openChipFiles(devicePath, hardwarePath, log)
  const space = new RawDataSpace({ folder: join(context.dataDir, RAW_DATA_FOLDER), clock, log })
  const lines = config && linesOfChip(config.hardware, file.current.chip)
  const bench = instrumentOf(options, lines, { user: device, clock, log })
  let opened: { file: DeviceFile; instrument: Instrument } | undefined
  let parked: DeviceFile | undefined

  async function instrumentFor(current: DeviceFile): Promise<Instrument> {
    if (opened?.file === current) return opened.instrument
    if (bench.isOpenedPerFile) await opened?.instrument.close()
    opened = undefined
    const instrument = await bench.open(current.chip)
    opened = { file: current, instrument }
    return instrument
  }

  /** Brings the couplers to the currents of a device file, once. */
  async function park(current: DeviceFile, limit: WaitLimit): Promise<void> {
    if (parked === current) return
    await bench.park?.(current.chip, limit)
    parked = current
  }

  async function instrumentForJob(current: DeviceFile, { deadline, signal }: JobIo): Promise<Instrument> {
    try {
      const instrument = await instrumentFor(current)
      await park(current, { ms: waitOf(deadline, clock), signal })
      return instrument
    } catch (error) {
      throw instrumentJobError(error)
    }
  }

  const { backend } = await instrumentFor(file.current)
  const limits = backend === 'cluster' ? config?.hardware : undefined
  try {
    await park(file.current, { ms: 0, signal: context.signal })
  } catch (error) {
    if (!(error instanceof InstrumentError) || error.code !== 'instrument_busy') throw error
    log.info('couplers are parked before the next job', { reason: error.message })
  }
  let logged: DeviceFile | undefined
  /** Levels at the outputs of a cluster, at the first job with each content of the device file. */
  function logLevels(current: DeviceFile, schedule: Schedule): void {
    if (!lines || backend !== 'cluster' || logged === current) return
    logged = current
    log.info('strongest pulses of the first job', { levels: outputLevels(schedule, current.chip, lines) })
  }

  /** What a job runs with: the file in use when it began, and the one in use now. */
  function ranWith(before: FileState, payload: JobPayload): DeviceProvenance {
    const { optimization_level, dynamical_decoupling, scheduling } = payload
    const options = {
      ...(optimization_level !== undefined && { optimization_level }),
      ...(dynamical_decoupling !== undefined && { dynamical_decoupling }),
      ...(scheduling !== undefined && { scheduling }),
    }
    return { device_file: { before, after: file.state }, compiler: { options } }
  }

  async function runWith(current: DeviceFile, state: FileState, job: Job, io: JobIo): Promise<JobResults> {
    const instrument = await instrumentForJob(current, io)
    const isDummy = instrument.backend === 'dummy'
    const hasBits = needsDiscriminators(job.payload)
    const use = isDummy ? 'any' : hasBits ? 'bits' : 'signals'
    const provenance = Provenance.read(devicePath)
    const { allow_uncalibrated: allowed, require: condition } = job.payload
    const required = condition && { condition, provenance, now: clock.now() }
    const used = new UsedValues(calibratedChipOf(current.chip, limits, use, allowed, provenance, required))
    const { chip } = used
    const files = [
      { path: devicePath, text: current.yaml.text },
      ...(config && hardwarePath !== undefined ? [{ path: hardwarePath, text: config.text }] : []),
    ]
    const record = options.save_raw_data
      ? recordJob({ job, device, instrument, space, files, clock, log })
      : undefined
    const metadata = () => ({
      device_config: deviceConfigOf(state),
      calibration: used.origins(current.chip, provenance, clock.now()),
      ...(record && { raw_data: record.name }),
    })
    try {
      return await runOnChip({
        device,
        payload: job.payload,
        chip,
        instrument,
        clock,
        io,
        record,
        metadata,
        lines: current.chip.qubits.flatMap(
          (qubit) => provenance.lineOf(qubit, (name) => current.chip.element(name)) ?? [],
        ),
        doubtsOf: (schedule) =>
          isDummy ? [NO_HARDWARE] : doubtsOf(schedule, { chip: current.chip, provenance, hasBits }),
        onFirstSchedule: (schedule) => logLevels(current, schedule),
      })
    } finally {
      await record?.finish()
    }
  }

  return {
    async run(job, io) {
      config?.reportChange()
      const { current, state } = file
      try {
        return await runWith(current, state, job, io)
      } finally {
        io.ranWith?.(ranWith(state, job.payload))
      }
    },
    describe: () =>
      describeScheduler({
        chip: file.current.chip,
        hardware: limits,
        provenance: Provenance.read(devicePath),
        backend: opened?.instrument.backend ?? '',
        deviceConfig: deviceConfigOf(file.state),
      }),
    stop: async () => opened?.instrument.close(),
  }
}
