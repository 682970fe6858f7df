import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../../src/base/index.ts'
import type { ModuleName } from '../../../src/devices/chip/hardware/modules.ts'
import type { ProcessDevice } from '../../../src/devices/index.ts'
import { ioOf, openProcess, payloadOf } from '../../devices/support/jobs.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FakeCluster } from './fake-cluster.ts'
import type { AcquisitionSource, PlayedSequencer, Recording } from './run/played-run.ts'

/** One qubit: its drive line and its readout line. */
const MODULES = new Map<number, ModuleName>([
  [2, 'QCM_RF'],
  [5, 'QRM_RF'],
])
const AMP180 = 0.5
const DEVICE = `q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0], kwargs: {}}
  reset: {duration: 2.0e-6}
  rxy: {amp180: ${AMP180}, motzoi: 0, duration: 2.0e-8}
  measure: {pulse_amp: 0.2, pulse_duration: 5.0e-7, acq_delay: 1.0e-7, integration_time: 4.0e-7}
  clock_freqs: {f01: 4.42e+9, readout: 6.45e+9}
`
const HARDWARE = {
  config_type: 'QbloxHardwareCompilationConfig',
  hardware_description: {
    cluster0: {
      ...{ instrument_type: 'Cluster', ref: 'internal', ip: '', module_base_port: 0 },
      modules: Object.fromEntries([...MODULES].map(([slot, name]) => [slot, { instrument_type: name }])),
    },
  },
  hardware_options: {
    modulation_frequencies: { 'q0:mw-q0.01': { lo_freq: 4.35e9 }, 'q0:res-q0.ro': { lo_freq: 6.6e9 } },
  },
  connectivity: {
    graph: [
      ['cluster0.module2.complex_output_0', 'q0:mw'],
      ['cluster0.module5.complex_output_0', 'q0:res'],
    ],
  },
}

/** Time after which a job of a lab has hung, ms. */
const HUNG_MS = 20_000

/** Every acquisition returns the gain of the largest pulse of the drive line: it tells what was played. */
const gainSource: AcquisitionSource = {
  async record({ sequencers }) {
    const gains = sequencers.flatMap(({ slot, events }) =>
      slot === 2 ? events.map(({ output: { gain } }) => Math.hypot(...gain)) : [],
    )
    const gain = Math.max(0, ...gains)
    const recordingsOf = ({ binSteps, repetitions }: PlayedSequencer): Recording[] =>
      binSteps.map((step) => {
        const values = new Float64Array(step === 0 ? 1 : repetitions).fill(gain)
        const trace = (length: number) => new Float64Array(length).fill(gain)
        return { i: values, q: values, trace: async (length) => ({ i: trace(length), q: trace(length) }) }
      })
    return new Map(sequencers.map((each) => [each, recordingsOf(each)]))
  },
}

interface ClusterLabOptions {
  scpiVersion?: string
  /** What is in the slots; unless given, what the hardware file says. */
  modules?: ReadonlyMap<number, ModuleName>
  clock?: Clock
}

/** A fake cluster for one qubit, and `scheduler_a` with a hardware file that names its address. */
export class ClusterLab implements AsyncDisposable {
  cluster: FakeCluster
  readonly #folder = temporaryFolder()
  readonly #clock: Clock
  #device: ProcessDevice | undefined
  #jobs = 0

  private constructor(cluster: FakeCluster, clock: Clock) {
    this.cluster = cluster
    this.#clock = clock
  }

  /** Starts the cluster; the device opens with `open`, or the first job. */
  static async start(options: ClusterLabOptions = {}): Promise<ClusterLab> {
    const { scpiVersion = '1.1', modules = MODULES, clock = systemClock } = options
    const lab = new ClusterLab(await FakeCluster.start({ modules, scpiVersion, source: gainSource }), clock)
    const { host, port, moduleBase } = lab.cluster.address
    const hardware = structuredClone(HARDWARE)
    const address = { ip: `${host}:${port}`, module_base_port: moduleBase }
    Object.assign(hardware.hardware_description.cluster0, address)
    writeFileSync(lab.#path('hardware.json'), JSON.stringify(hardware))
    writeFileSync(lab.#path('device.yml'), DEVICE)
    return lab
  }

  /** The paths of the device file and the hardware file, as options. */
  get options(): string[] {
    const [device, hardware] = [this.#path('device.yml'), this.#path('hardware.json')]
    return [`scheduler_device_config=${device}`, `scheduler_hardware_config=${hardware}`]
  }

  /** Puts another cluster in the place of the present one: its address is the same. */
  async replaceCluster(modules: ReadonlyMap<number, ModuleName> = MODULES): Promise<void> {
    const { address } = this.cluster
    await this.cluster[Symbol.asyncDispose]()
    this.cluster = await FakeCluster.start({ modules, source: gainSource, ...address })
  }

  /** Opens the device, as a driver does at its start. */
  async open(): Promise<ProcessDevice> {
    this.#device ??= await openProcess('scheduler_a', this.options, this.#clock)
    return this.#device
  }

  /**
   * Runs a job with a rotation that no job before had, so that its sequences are uploaded. Its result tells
   * whether they were those that have played.
   * @throws as the job does, and when it returns what another one has played.
   */
  async run(signal: AbortSignal = AbortSignal.timeout(HUNG_MS)): Promise<void> {
    const device = await this.open()
    this.#jobs += 1
    // Multiples of the golden ratio: angles of consecutive jobs are far apart.
    const angle = 0.3 + 2.5 * ((this.#jobs * 0.618_034) % 1)
    const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[1] q; bit[1] c; rx(${angle}) q[0]; c = measure q;`
    const payload = payloadOf([text], { shots: 10, meas_level: 1, meas_return: 'avg' })
    const job = { id: 'job000000000001', attempt: 1, payload }
    const { circuit_results } = await device.run(job, ioOf(HUNG_MS, signal))
    const [[gain = Number.NaN] = []] = (circuit_results[0]?.memory ?? []) as number[][]
    const wanted = (AMP180 * angle) / Math.PI
    if (!(Math.abs(gain / wanted - 1) < 0.02)) throw new Error(`a gain of ${gain} instead of ${wanted}`)
  }

  /** The error of a job; undefined for one that succeeds. */
  errorOfRun(signal?: AbortSignal): Promise<unknown> {
    return this.run(signal).then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  /** Sequencers that keep others waiting, or that are connected to an output. */
  get restless(): string[] {
    return this.cluster.sequencers
      .filter(({ sequencer: { isSynced, outputs } }) => isSynced || outputs.flat().length > 0)
      .map(({ module, number }) => `slot ${module.slot}, sequencer ${number}`)
  }

  #path(name: string): string {
    return join(this.#folder.path, name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#device?.stop?.({ extend: () => undefined })
    await this.cluster[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}
