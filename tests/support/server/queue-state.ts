import type { ReadTx } from '../../../src/db/records/tx.ts'
import {
  findJob,
  type JobOrder,
  OrderReading,
  type QueuePositionInput,
  type QueueState,
  queuePositionOf,
  queuePositionReads,
  queueReads,
  queueStateOf,
} from '../../../src/db/store/jobs/index.ts'

/** The queue of an attached, idle QPU named kelvin, empty unless `patch` adds jobs. */
export function queueState(patch: Partial<QueueState> = {}): QueueState {
  return {
    qpu: {
      id: '000000000000qpu',
      created: '',
      updated: '',
      name: 'kelvin',
      status: 'online',
      enabled: true,
      num_qubits: 5,
      executor_type: '',
      device_config: null,
      command_port: 0,
      result_port: 0,
      maintenance: false,
      maintenance_reason: '',
      maintenance_until: '',
      draining: false,
      drain_reason: '',
      closed_since: '',
      silent_since: '',
      described_at: '',
      max_qubits: 0,
      max_shots: 0,
      max_executions: 0,
      missing_features: 0,
      access_token: '',
    },
    isCalibrating: false,
    running: undefined,
    slot: undefined,
    next: '',
    job: '',
    ...patch,
  }
}

/** The queue of a QPU as the dispatcher sees it. */
export function readQueue(tx: ReadTx, qpu: string, idleMs: number, order: JobOrder): QueueState | undefined {
  return queueStateOf(new OrderReading(order, tx, tx.read(queueReads())), qpu, idleMs)
}

/** The place of a job, by its id; undefined when it is not pending. */
export function readPosition(
  tx: ReadTx,
  id: string,
  idleMs: number,
  order: JobOrder,
): QueuePositionInput | undefined {
  const job = findJob(tx, id)
  return job && queuePositionOf(tx, order, tx.read(queuePositionReads(job)), idleMs)
}
