import {
  AUTOMATIC,
  createSimulator,
  DEFAULT_BOND,
  FORMATS,
  METHODS,
  newSeed,
} from '../../../simulator/index.ts'
import { defineDevice } from '../../define-device.ts'
import { openNoiseFile } from '../../noise/noise-file.ts'
import { opt } from '../../options.ts'
import { circuitWorker } from '../../simulation/circuit-worker-entry.ts'
import { simulateJob } from '../../simulation/simulate-job.ts'
import { describeAerSim } from './describe.ts'

/** Simulator of quantum circuits: exact, or with the noise model of a file. */
export const aerSim = defineDevice({
  operation: 'process',
  name: 'aer_sim',
  options: {
    ...opt.group('Simulation', {
      seed: opt.int({ help: 'Seed of the random results; a new one for each job by default', min: 0 }),
      method: opt.enum([AUTOMATIC, ...METHODS.map(({ name }) => name)], {
        help: 'Simulation method',
        default: AUTOMATIC,
      }),
      noise: opt.pathOrNone({
        label: 'Noise model',
        help: 'Noise model: a noise file, the scheduler.device.yml of a calibrated chip, or none',
        example: '/etc/svc-driver/noise.yml',
      }),
    }),
    ...opt.group('Limits', {
      max_qubits: opt.int({
        label: 'Qubits of a statevector',
        help: 'Maximum number of qubits of a statevector; 27 at most in double precision',
        min: 1,
        max: FORMATS.single.maxQubits,
        default: FORMATS.single.maxQubits,
      }),
      threads: opt.int({
        help: 'Threads for large circuits and jobs of many circuits; one per processor by default',
        min: 1,
        max: 32,
      }),
      max_shots: opt.int({
        label: 'Shots of a circuit',
        help: 'Maximum number of shots per circuit',
        min: 1,
        max: 1_000_000,
        default: 1_000_000,
      }),
      max_bond: opt.int({
        label: 'Bond dimension',
        help: 'Maximum bond dimension of a matrix product state; truncation is reported',
        min: 1,
        max: 1_024,
        default: DEFAULT_BOND,
      }),
    }),
  },
  async create({ options, clock, device, log }) {
    const threads = options.threads ?? navigator.hardwareConcurrency
    const simulator = await createSimulator({
      clock,
      threads,
      circuitWorker,
    })
    const noise = options.noise === undefined ? undefined : openNoiseFile(options.noise, log)
    return {
      start: async () => simulator.warmUp(),
      async run(job, io) {
        const before = noise?.state
        try {
          return await simulateJob({
            device,
            payload: job.payload,
            // Qubits that no outcome depends on cost nothing, and circuits for a large chip may declare them.
            limits: {
              declaredQubits: Number.POSITIVE_INFINITY,
              stateQubits: options.max_qubits,
              shots: options.max_shots,
              maxBondDimension: options.max_bond,
              dt: noise?.current.timing.dt,
            },
            method: options.method,
            seed: options.seed ?? newSeed(),
            noise: noise?.current,
            clock,
            simulator,
            io,
          })
        } finally {
          if (noise && before) io.ranWith?.({ noise_file: { before, after: noise.state } })
        }
      },
      stop: async () => simulator.stop(),
      describe: () => describeAerSim(noise?.current, options),
    }
  },
})
