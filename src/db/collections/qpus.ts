import { announceQpuChange, closedBy, recordClosed } from '../hooks/qpu-change.ts'
import { refuseUnfinishedJobs } from '../hooks/removal.ts'
import { withUnderscores } from '../hooks/underscores.ts'
import { defineCollection } from '../schema/collection.ts'
import { bool, choice, date, integer, json, text } from '../schema/fields/index.ts'

/** The state of a QPU that no device has described: it allows every job. */
export const NOT_DESCRIBED = {
  described_at: '',
  max_qubits: 0,
  max_shots: 0,
  max_executions: 0,
  missing_features: 0,
} as const

/** Quantum processing units. */
export const qpus = defineCollection({
  name: 'qpus',
  fields: {
    name: text({ required: true, unique: true, max: 100 }),
    status: choice(['offline', 'online'], { default: 'offline', readOnly: true }),
    enabled: bool({ default: true }),
    num_qubits: integer({ min: 1, default: 1 }),
    executor_type: text({ max: 100 }),
    device_config: json(),
    // Everybody reads QPUs, and an open port invites attacks; signed-in users find the ports at `drivers`.
    command_port: integer({ min: 0, max: 65_535, readOnly: true, hidden: true }),
    result_port: integer({ min: 0, max: 65_535, readOnly: true, hidden: true }),
    maintenance: bool(),
    maintenance_reason: text({ max: 1_000 }),
    maintenance_until: date({ help: 'Expected end of the maintenance; it does not end automatically' }),
    draining: bool({ help: 'Takes no new job; the running one finishes' }),
    drain_reason: text({ max: 1_000 }),
    closed_since: date({ readOnly: true, help: 'Since when it takes no jobs for its present reason' }),
    silent_since: date({
      readOnly: true,
      help: 'Since when its driver has not answered, 11 s to 15 s long; then it is offline',
    }),
    described_at: date({ readOnly: true, help: 'When its device described it; empty without description' }),
    // The limits of the description, for the queue; see store/jobs/fits-qpu.ts.
    max_qubits: integer({ internal: true, help: '0 = no limit' }),
    max_shots: integer({ internal: true, help: '0 = no limit' }),
    max_executions: integer({ internal: true, help: '0 = no limit' }),
    missing_features: integer({ internal: true, help: 'Features that it does not have, one bit each' }),
    access_token: text({ hidden: true, help: 'SHA-256 (hex) of the access token' }),
  },
  rules: { list: '', view: '', create: null, update: null, remove: null },
  hooks: {
    beforeInsert({ tx, record }) {
      record.name = withUnderscores(record.name)
      if (closedBy(record)) record.closed_since = tx.at
    },
    afterInsert({ tx, record }) {
      recordClosed(tx, undefined, record)
    },
    beforeUpdate({ tx, before, after }) {
      after.name = withUnderscores(after.name)
      if (!after.enabled) after.status = 'offline'
      if (after.status === 'offline') after.silent_since = ''
      const closed = closedBy(after)
      if (closed !== closedBy(before)) after.closed_since = closed ? tx.at : ''
      announceQpuChange(tx, before, after)
      recordClosed(tx, before, after)
    },
    beforeRemove({ tx, record }) {
      refuseUnfinishedJobs(tx, record.id)
      tx.run('DELETE FROM qpu_descriptions WHERE qpu = $id', { id: record.id })
      tx.run('DELETE FROM maintenance_times WHERE qpu = $id', { id: record.id })
    },
  },
})
