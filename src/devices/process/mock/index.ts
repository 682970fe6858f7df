import { JOB_LIMITS, type JobResults } from '../../../protocol/index.ts'
import {
  createRng,
  createSimulator,
  defineNoiseModel,
  type Noise,
  type Simulator,
} from '../../../simulator/index.ts'
import { type DeviceContext, defineDevice, type Job, type JobIo } from '../../define-device.ts'
import { JobError, StartupError } from '../../errors.ts'
import { type OptionsOf, opt } from '../../options.ts'
import { describeSimulator } from '../../simulation/describe-simulator.ts'
import { simulateJob } from '../../simulation/simulate-job.ts'
import { FAULTS, type Fault, hashOf, type Latency, pickFault, readLatency, readPragma } from './faults.ts'

const MAX_QUBITS = 24

const options = {
  ...opt.group('Simulation', {
    seed: opt.int({ help: 'Seed of the random results; a hash of the job id by default', min: 0 }),
    num_qubits: opt.int({
      label: 'Qubits',
      help: 'Number of qubits of the device',
      min: 1,
      max: MAX_QUBITS,
      default: 16,
    }),
    latency: opt.custom(readLatency, {
      label: 'Duration of a job',
      unit: 's',
      help: 'Duration of each job: seconds, or a range min:max',
      example: '0.5:2',
    }),
    readout_error: opt.number({ help: 'Probability of reading a bit wrongly', min: 0, max: 0.5, default: 0 }),
  }),
  ...opt.group('Faults on purpose', {
    fail: opt.enum(FAULTS, { label: 'Fault', help: 'Fault to inject into jobs', default: 'none' }),
    fail_rate: opt.number({ label: 'Share of jobs', help: 'Fraction of jobs that fail', min: 0, max: 1 }),
    fail_every: opt.int({ label: 'Every n-th job', help: 'Every n-th job fails', min: 1 }),
    fail_on: opt.string({ label: 'Jobs that contain', help: 'Jobs whose circuits contain this text fail' }),
    pragmas: opt.bool({
      label: 'Comments select the fault',
      help: 'Allows a comment in a circuit to select the fault',
      default: false,
    }),
  }),
}

type MockContext = DeviceContext<OptionsOf<typeof options>>

/** Exact simulator for tests and demonstrations, with faults on demand. */
export const mock = defineDevice({
  operation: 'process',
  name: 'mock',
  options,
  async create(context) {
    const { fail, fail_rate, fail_every, fail_on, num_qubits, pragmas } = context.options
    if (fail === 'init') throw new StartupError('mock device fails on purpose: fail=init')
    if (fail !== 'none' || pragmas || [fail_rate, fail_every, fail_on].some((each) => each !== undefined)) {
      context.log.warn('jobs fail on purpose', { fail, fail_rate, fail_every, fail_on, pragmas })
    }
    const simulator = await createSimulator({ clock: context.clock, threads: 1 })
    const noise = readoutNoise(context.options.readout_error)
    let count = 0
    return {
      run: (job, io) => {
        count++
        return runMock(context, { simulator, noise }, job, io, count)
      },
      describe: () => ({
        ...describeSimulator({ qubits: num_qubits }),
        qubits: Array.from({ length: num_qubits }, (_, index) => ({
          name: `q${index}`,
          readout_error: context.options.readout_error,
        })),
      }),
    }
  },
})

/** Noise of readout alone: each bit is read wrongly with probability `error`. */
function readoutNoise(error: number): Noise {
  return { model: defineNoiseModel({ source: 'readout_error', readoutErrorOf: () => [error, error] }) }
}

interface MockDependencies {
  simulator: Simulator
  noise: Noise
}

async function runMock(
  context: MockContext,
  dependencies: MockDependencies,
  job: Job,
  io: JobIo,
  count: number,
) {
  const pragma = context.options.pragmas ? readPragma(job) : {}
  const { fail, fail_rate: failRate, fail_every: failEvery, fail_on: failOn } = context.options
  const planned = pragma.fail ?? pickFault({ fail, failRate, failEvery, failOn }, job, count)
  const fault = job.attempt > (pragma.attempts ?? Number.POSITIVE_INFINITY) ? 'none' : planned
  // The circuits end in the course of the latency.
  const { result: _, ...atOnce } = io
  const results = await simulateJob({
    device: context.device,
    payload: job.payload,
    limits: {
      declaredQubits: context.options.num_qubits,
      stateQubits: context.options.num_qubits,
      shots: JOB_LIMITS.shots,
    },
    method: 'statevector',
    seed: context.options.seed ?? hashOf(job.id),
    ...dependencies,
    clock: context.clock,
    io: atOnce,
  })
  await wait(context, pragma.latency ?? context.options.latency, { job, io, results })
  await failBefore(fault)
  // NaN, which the check of the results has to reject.
  if (fault === 'garbage') return { ...results, shots: Number.NaN }
  if (fault === 'miscount') return miscounted(results)
  if (fault === 'slow_result') await context.clock.sleep(io.deadline - context.clock.monotonic() + LATE_MS)
  return results
}

/** Results with five shots more than the job has, which the check has to reject. */
function miscounted(results: JobResults): JobResults {
  const circuit_results = results.circuit_results.map((each) => {
    const [[outcome, shots] = ['', 0], ...others] = Object.entries(each.counts ?? {})
    return { ...each, counts: Object.fromEntries([[outcome, shots + 5], ...others]) }
  })
  const counts = circuit_results[0]?.counts
  return { ...results, ...(counts && { counts }), circuit_results }
}

/** Delay of a `slow_result` after its deadline, in ms: before the process is killed for not stopping. */
const LATE_MS = 1_000

/** Injects the faults that come in the place of results. */
async function failBefore(fault: Fault): Promise<void> {
  if (fault === 'error') {
    throw new JobError('mock device failed on purpose', {
      class: 'device',
      errorCode: 'injected_fault',
      executed: true,
    })
  }
  if (fault === 'crash') process.abort()
  if (fault === 'hang') await new Promise(() => undefined)
}

/** Waits for the latency, and reports the results of the circuits in the course of it. */
async function wait(
  { clock }: MockContext,
  latency: Latency | undefined,
  { job, io, results }: { job: Job; io: JobIo; results: JobResults },
): Promise<void> {
  const { min, max } = latency ?? { min: 0, max: 0 }
  const seconds = min + (max - min) * createRng(hashOf(job.id)).next()
  const { circuit_results: circuits } = results
  if (latency) io.phase('waiting')
  for (const [index, result] of circuits.entries()) {
    if (latency) await clock.sleep((seconds * 1_000) / circuits.length, io.signal)
    io.result?.(index, result)
  }
}
