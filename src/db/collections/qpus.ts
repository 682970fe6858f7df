import { refuseUnfinishedJobs } from '../hooks/removal.ts'
import { withUnderscores } from '../hooks/underscores.ts'
import { defineCollection } from '../schema/collection.ts'
import { bool, choice, integer, json, text } from '../schema/fields/index.ts'

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
    draining: bool({ help: 'Takes no new job; the running one finishes' }),
    drain_reason: text({ max: 1_000 }),
    access_token: text({ hidden: true, help: 'SHA-256 (hex) of the access token' }),
  },
  rules: { list: '', view: '', create: null, update: null, remove: null },
  hooks: {
    beforeInsert({ record }) {
      record.name = withUnderscores(record.name)
    },
    beforeUpdate({ after }) {
      after.name = withUnderscores(after.name)
      if (!after.enabled) after.status = 'offline'
    },
    beforeRemove: ({ tx, record }) => refuseUnfinishedJobs(tx, record.id),
  },
})
