import { defineCollection } from '../../schema/collection.ts'
import { choice, date, integer, optionalChoice, relation, text } from '../../schema/fields/index.ts'

const OWN = 'user = @request.auth.id'

/** Why a session is paused: its user has no job, or the QPU runs none. */
const PAUSED_BY = ['idle', 'disabled', 'maintenance', 'draining', 'offline', 'calibrating'] as const

/** Why a session has ended. */
const SESSION_ENDS = ['expired', 'ended', 'booking', 'balance'] as const

/** QPUs that are held for one user without a booking; `store/sessions/machine.ts` decides what each is. */
export const sessions = defineCollection({
  name: 'sessions',
  fields: {
    qpu: relation('qpus', { required: true, cascade: true }),
    user: relation('users', { required: true, cascade: true }),
    mode: choice(['exclusive', 'batch'], { default: 'exclusive' }),
    state: choice(['queued', 'active', 'paused', 'closed'], { default: 'queued' }),
    seconds: integer({ min: 1, help: 'How long it lasts after its first activation' }),
    idle_seconds: integer({ min: 1, help: 'Without a job for so long, it is paused' }),
    activated_at: date({ help: 'When it was activated first' }),
    ends_at: date({ help: 'When it ends at the latest, from its first activation on' }),
    paused_by: optionalChoice(PAUSED_BY),
    stopped_at: date({ help: 'Since when it is paused, or when it ended' }),
    end: optionalChoice(SESSION_ENDS),
    end_reason: text({ max: 500, help: 'What a superuser who ended it says' }),
    held_ms: integer({ help: 'Time for which it was charged' }),
    rank: integer({ internal: true, help: 'Place in the line of its QPU' }),
    holders_end: date({ internal: true, help: 'When its last holder ends' }),
    active_since: date({ internal: true, help: 'Last activation' }),
    charged_to: date({ internal: true, help: 'Up to when it is charged while it is held' }),
    charges: integer({ internal: true, help: 'Number of its entries in the ledger' }),
  },
  rules: { list: OWN, view: OWN, create: null, update: null, remove: null },
  indexes: [
    ['user'],
    ['state', 'stopped_at'],
    // A user has one open session of a QPU.
    { on: ['user', 'qpu'], unique: true, where: "state <> 'closed'" },
    // One session is active on a QPU.
    { on: ['qpu'], unique: true, where: "state = 'active'" },
  ],
})
