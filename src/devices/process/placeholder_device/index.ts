import { JOB_LIMITS } from '../../../protocol/index.ts'
import { defineDevice } from '../../define-device.ts'
import { JobError } from '../../errors.ts'
import { describeSimulator } from '../../simulation/describe-simulator.ts'
import { validateJob } from '../../simulation/simulate-job.ts'

const QUBITS = 16

/** Stands for a backend that is not built yet: it connects and checks jobs, but runs none. */
export const placeholderDevice = defineDevice({
  operation: 'process',
  name: 'placeholder_device',
  create: ({ device }) => ({
    async run(job) {
      validateJob(device, job.payload, {
        declaredQubits: QUBITS,
        stateQubits: QUBITS,
        shots: JOB_LIMITS.shots,
      })
      // Class user: another attempt would end in the same way. Nothing ran, so nothing is charged.
      throw new JobError(`${device} has no backend: job not run`, { errorCode: 'not_implemented' })
    },
    describe: () => ({ ...describeSimulator({ qubits: QUBITS }), simulator: false }),
  }),
})
