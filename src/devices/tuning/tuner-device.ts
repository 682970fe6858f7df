import { dirname, join } from 'node:path'
import { type Clock, messageOf } from '../../base/index.ts'
import { clusterOf } from '../bench/cluster/open-cluster.ts'
import { openCouplers, restoreCouplers } from '../bench/current/open-couplers.ts'
import type { VoltageOutputs } from '../bench/current/qcm-output.ts'
import { createDummyInstrument } from '../bench/dummy.ts'
import type { CurrentSource, Instrument } from '../bench/instrument.ts'
import { RAW_DATA_FOLDER, RawDataFolder } from '../bench/raw-data/raw-data-folder.ts'
import { RawDataSpace } from '../bench/raw-data/raw-data-space.ts'
import { RunRecorder, recordingInstrument } from '../bench/raw-data/run-recorder.ts'
import { openChipFiles } from '../chip/chip-files.ts'
import type { Chip } from '../chip/device-file.ts'
import { readText } from '../chip/files/watched-file.ts'
import type { Hardware } from '../chip/hardware/hardware-file.ts'
import { linesOfChip } from '../chip/hardware/lines-of-chip.ts'
import type { WatchedDeviceFile } from '../chip/watched-device-file.ts'
import type {
  CalibrateDevice,
  CalibrationIo,
  CalibrationRequest,
  DeviceContext,
  PythonPlace,
} from '../define-device.ts'
import { CalibrationError, StartupError } from '../errors.ts'
import type { CalibrationConfig } from './config/calibration-config.ts'
import { readCalibrationConfig } from './config/read-config.ts'
import { runBasis } from './continuation/run-basis.ts'
import { type FinishedSteps, STEP_JOURNAL_FOLDER, withSteps } from './continuation/step-journal.ts'
import { DriftMonitor } from './drift/drift-monitor.ts'
import type { PythonRoutines } from './python-routines/open-routines.ts'
import type { Routine } from './routine.ts'
import { NAMED_ROUTINES } from './routines/index.ts'
import { calibrationInstrument, reserve } from './run/calibration-instrument.ts'
import { chooseRoutine } from './run/choose-routine.ts'
import { importRoutines } from './run/own-routines.ts'
import { recordFidelityCheck } from './run/record-checks.ts'
import { runCalibration } from './run/run-calibration.ts'
import { checkTunerOptions, type TunerOptions } from './tuner-options.ts'

/** A dummy instrument has no couplers whose currents it could move. */
const NO_COUPLERS = { currents: undefined, notes: [] }

/** The one routine of a run, and whether its results are written. */
interface Only {
  routine: string
  write: boolean
}

/** What a tuner calibrates with. */
interface TunerDependencies {
  readonly routines: readonly Routine[]
  /** Makes `svc/devices` importable by routines of the site. */
  provideSdk(): Promise<void>
  /** Imports routines in Python, in a process of their own. */
  openPythonRoutines(paths: readonly string[], folder: string, place: PythonPlace): Promise<PythonRoutines>
  /** Opens the simulated chip of a data folder, of which the tuner sees only what an instrument shows. */
  openSimulated(options: {
    chip: Chip
    dataDir: string
    clock: Clock
  }): Promise<Instrument & { readonly currents: CurrentSource }>
}

/**
 * Creates a tuner: it calibrates with the given routines, restores currents that a former process left
 * changed before anything else, and checks for drift when its options ask for it. The device file is read at
 * the start of each calibration, as is `calibration.yml`; one that does not parse fails the calibration, not
 * the start: a device file only one that would write into it.
 * @throws StartupError for invalid options, and for an invalid device file or hardware file.
 */
export async function createTuner(
  context: DeviceContext<TunerOptions>,
  { routines: builtIn, openSimulated, provideSdk, openPythonRoutines }: TunerDependencies,
): Promise<CalibrateDevice> {
  const { options, clock, log, dataDir, device } = context
  const python = context.python ?? { given: '', beside: '', clock, log, env: {} }
  checkTunerOptions(options)
  const { scheduler_device_config: devicePath, scheduler_hardware_config: hardwarePath } = options
  const { device: file, hardware } = openChipFiles(devicePath, hardwarePath, log)
  const { instrument, currents, voltages } = await openInstrument(
    context,
    { chip: file.current.chip, hardware: hardware?.hardware },
    openSimulated,
  )
  const calibrating = calibrationInstrument(instrument)
  const backend = `${device}+${instrument.backend}`
  const sources = {
    clock,
    log,
    dataDir,
    ...(options.spi_rack_address !== undefined && { spiRackAddress: options.spi_rack_address }),
    ...(currents && { simulated: currents }),
    ...(voltages && { voltages }),
  }
  const initial = readConfig(options.calibration_config, file.current.chip)
  if ('problems' in initial) {
    log.warn('calibration config is invalid: calibrations fail', { problems: initial.problems.slice(0, 10) })
  }
  const space = new RawDataSpace({ folder: join(dataDir, RAW_DATA_FOLDER), clock, log })
  const limits = {
    qubit: options.fidelity_threshold,
    edge: options.fidelity_2q_threshold,
    errorFactor: options.drift_error_factor,
  }
  const intervalS = options.drift_check_interval / 1_000
  const rng = context.random()
  const monitor = new DriftMonitor({ clock, log, intervalS, limits, random: () => rng.next() })

  /** Runs a calibration, or with `only` one routine of it, during which nobody else uses the instrument. */
  async function run(request: CalibrationRequest, io: CalibrationIo, only?: Only) {
    hardware?.reportChange()
    const mayWrite = !options.is_dummy && (only?.write ?? true)
    if (mayWrite && request.mode !== 'fidelity_check') assertWritable(file)
    const release = await reserve(instrument, io.signal)
    try {
      return await runReserved(request, io, { only, mayWrite })
    } finally {
      const warnings = instrument.takeWarnings?.() ?? []
      if (warnings.length > 0) log.warn('some results of the calibration are doubtful', { warnings })
      await release()
    }
  }

  async function runReserved(
    request: CalibrationRequest,
    io: CalibrationIo,
    { only, mayWrite }: { only: Only | undefined; mayWrite: boolean },
  ) {
    const restored = await restoreCouplers(sources)
    const current = file.current
    const read = readConfig(options.calibration_config, current.chip)
    if ('problems' in read) throw new CalibrationError(read.problems.join('\n'))
    if (read.notes.length > 0) log.info('calibration config is used with notes', { notes: read.notes })
    using imported = await importRoutines(builtIn, read, dirname(options.calibration_config), {
      provideSdk,
      openPython: (paths, folder) => openPythonRoutines(paths, folder, python),
    })
    const { routines, config, modules, pythonFiles } = imported
    const chosen =
      only &&
      chooseRoutine(
        { ...only, targets: request.targetQubits },
        [...routines, ...NAMED_ROUTINES],
        current.chip,
        config,
      )
    const couplers = options.is_dummy ? NO_COUPLERS : await openCouplers(current.chip.edges, sources)
    const notes = [...restored, ...imported.notes, ...couplers.notes]
    const rawData = { space, run: request.runId, backend, clock }
    const used = options.save_raw_data
      ? recordingInstrument(calibrating, new RunRecorder(new RawDataFolder(rawData), log))
      : calibrating
    try {
      const stepOptions = {
        folder: join(dataDir, STEP_JOURNAL_FOLDER),
        now: clock.now(),
        log,
        basis: runBasis({ file: current, options, modules, pythonFiles }),
      }
      const calibrate = (finished?: FinishedSteps) =>
        runCalibration(
          request,
          io,
          {
            backend,
            devicePath,
            instrument: used,
            couplers: couplers.currents,
            clock,
            log,
            mayWrite,
            limits,
            hardware: hardware?.hardware,
          },
          { file: current, config, routines, notes, finished, ...(chosen && { only: chosen }) },
        )
      const findings = await (only ? calibrate() : withSteps(request, stepOptions, calibrate))
      const setup = { devicePath, clock, log, mayWrite }
      recordFidelityCheck(request, findings, { setup, chip: current.chip, limits })
      return findings
    } finally {
      await couplers.currents?.close()
    }
  }

  return {
    async start(io) {
      await instrument.open()
      const release = await reserve(instrument, io.signal)
      try {
        await restoreCouplers(sources)
      } finally {
        await release()
      }
      if (intervalS > 0) void monitor.run(io)
    },
    calibrate: (request, io) => run(request, io),
    runRoutine({ runId, routine, targets, write }, io) {
      return run({ runId, id: null, mode: 'partial', targetQubits: targets }, io, { routine, write })
    },
    maintenance: (on) => monitor.maintenance(on),
    stop: () => instrument.close(),
  }
}

/**
 * A run of hours must not find at its end that it cannot write what it found.
 * @throws CalibrationError with line and column when the device file as it is now does not parse.
 */
function assertWritable(file: WatchedDeviceFile): void {
  const { problems } = file
  if (problems.length === 0) return
  const [first = '', ...others] = problems
  const rest = others.length === 0 ? '' : ` (and ${others.length} more, see the driver log)`
  throw new CalibrationError(
    `the device file does not parse, so nothing could be written into it; correct it first: ${first}${rest}`,
  )
}

/** What a tuner plays programs on, and what of it may hold currents. */
interface OpenedInstrument {
  instrument: Instrument
  /** A simulated chip has them. */
  currents?: CurrentSource
  /** A cluster has them. */
  voltages?: VoltageOutputs
}

/** The instrument that the options or the hardware file name. */
async function openInstrument(
  { options, dataDir, clock, log, device }: DeviceContext<TunerOptions>,
  { chip, hardware }: { chip: Chip; hardware: Hardware | undefined },
  openSimulated: TunerDependencies['openSimulated'],
): Promise<OpenedInstrument> {
  if (options.is_dummy) return { instrument: createDummyInstrument() }
  if (options.is_simulated) {
    const simulated = await openSimulated({ chip, dataDir, clock })
    return { instrument: simulated, currents: simulated.currents }
  }
  const address = hardware?.clusters[0]?.address
  if (!hardware || address === undefined || address === 'dummy' || address.startsWith('sim:')) {
    throw new StartupError([
      'startup error: no instrument; set ip in scheduler_hardware_config to the address of a cluster,',
      '  or -o is_simulated=true, or -o is_dummy=true',
    ])
  }
  const cluster = clusterOf(linesOfChip(hardware, chip), { user: device, clock, log })
  return { instrument: cluster, voltages: cluster }
}

function readConfig(path: string, chip: Chip): CalibrationConfig | { problems: readonly string[] } {
  try {
    const text = readText(path)
    return typeof text === 'string' ? readCalibrationConfig(text, chip) : text
  } catch (error) {
    return { problems: [messageOf(error)] }
  }
}
