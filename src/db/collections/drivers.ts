import { refuseRunningCalibration } from '../hooks/removal.ts'
import { withUnderscores } from '../hooks/underscores.ts'
import { defineCollection } from '../schema/collection.ts'
import { bool, choice, date, integer, json, relation, text } from '../schema/fields/index.ts'
import { endBreachesOf } from './monitoring/thresholds.ts'

/** UTF-8 of as many stages as there may be. */
const STAGES_BYTES = 64 * 1_024

/** Daemons next to lab equipment, each for one operation of one QPU. */
export const drivers = defineCollection({
  name: 'drivers',
  fields: {
    name: text({ required: true, max: 100 }),
    qpu: relation('qpus', { required: true }),
    operation: choice(['process', 'monitor', 'calibrate']),
    device: text({ max: 200 }),
    token: text({ required: true, hidden: true, unique: true, help: 'SHA-256 (hex) of the access token' }),
    status: choice(['offline', 'online'], { default: 'offline', readOnly: true }),
    enabled: bool({ default: true }),
    command_port: integer({ min: 0, max: 65_535, readOnly: true }),
    result_port: integer({ min: 0, max: 65_535, readOnly: true }),
    host: text({ max: 255, readOnly: true }),
    version: text({ max: 100, readOnly: true }),
    last_seen: date({ readOnly: true }),
    leased: bool({ readOnly: true }),
    stages: json({
      maxBytes: STAGES_BYTES,
      help: 'Names of the channels of a monitor: [{channel, name}]; pages show the first one first',
    }),
  },
  rules: {
    list: '@request.auth.id != ""',
    view: '@request.auth.id != ""',
    create: null,
    update: null,
    remove: null,
  },
  indexes: [['qpu', 'operation']],
  hooks: {
    beforeInsert({ record }) {
      record.name = withUnderscores(record.name)
      record.device = withUnderscores(record.device)
    },
    beforeUpdate({ tx, before, after }) {
      after.name = withUnderscores(after.name)
      after.device = withUnderscores(after.device)
      if (!after.enabled) after.status = 'offline'
      if (after.operation !== before.operation)
        endBreachesOf(tx, after.id, `${after.name} is not a monitor any more`)
    },
    beforeRemove({ tx, record }) {
      refuseRunningCalibration(tx, record)
      endBreachesOf(tx, record.id, `the monitor ${record.name} was deleted`)
    },
  },
})
