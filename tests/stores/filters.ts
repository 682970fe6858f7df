import { COLLECTIONS } from '../../src/db/index.ts'
import type { Random } from './random.ts'
import { idOf, NUMBERS, type Table } from './values.ts'

const OPERATORS = ['=', '!=', '>', '>=', '<', '<=', '~', '!~', '?=', '?!=', '?~', '?!~', '?<', '?>='] as const

/** Paths beyond the fields of a table: relations, back relations, parts of JSON, modifiers. */
const PATHS: Partial<Record<Table, readonly string[]>> = {
  quantum_jobs: [
    ...['user_id.username', 'user_id.qpu_seconds', 'qpu_target.name', 'qpu_target.num_qubits'],
    ...['qpu.name:lower', 'tags:length', 'tags:each', 'tags.0', 'results.n', 'results.s', 'results.l.1'],
    ...['results.o.00', 'results.deep.0.k', 'payload.shots', 'payload.circuits.0.circuit', 'name:lower'],
    'user_id.qpu_time_requests_via_user.seconds',
  ],
  users: [
    ...['quantum_jobs_via_user_id.status', 'time_slots_via_booked_by.start_time', 'username:lower'],
    ...['email:lower', 'qpu_time_requests_via_user.seconds', 'notifications_via_target_users.title'],
    'api_tokens:length',
  ],
  qpus: [
    ...['device_config.n', 'device_config.s', 'device_config', 'drivers_via_qpu.name'],
    'quantum_jobs_via_qpu_target.name',
  ],
  drivers: ['qpu.name', 'qpu.num_qubits', 'events_via_driver.type', 'stages:length'],
  events: [
    ...['payload.readings.tmc.value', 'payload.n', 'payload', 'driver.name', 'qpu.name'],
    'payload.readings.tmc.unit',
  ],
  time_slots: ['booked_by.username', 'qpu.name', 'qpu.drivers_via_qpu.operation'],
  notes: ['qpu.name', 'text:lower'],
  notifications: ['target_users.username', 'target_users:length', 'dismissed_by:each', 'title:lower'],
  qpu_time_requests: ['user.username', 'user.quantum_jobs_via_user_id.status'],
  thresholds: ['driver.qpu.name', 'notify:length', 'name:lower'],
  calibration_results: [
    'qpu.name',
    'driver.name',
    'notes:length',
    'routines.0.parameters.t1.value',
    'request.mode',
  ],
  calibration_requests: ['driver.name', 'driver.qpu.name'],
}

/** Paths to more than one value of a record. */
const SEVERAL = /_via_|:each|^(?:target_users|dismissed_by|notify|api_tokens)\./

const NAMES = [
  ...['@now', '@todayStart', '@yesterday', '@hour', '@weekday', 'true', 'false', 'null'],
  ...['@request.auth.id', '@request.auth.username', '@request.query.page', '@request.method'],
]

/** Filters, sorts and other parameters of lists. */
export class Lists {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** A filter of a table, which may be wrong. */
  filter(table: Table, depth = 2): string {
    const random = this.#random
    if (depth > 0 && random.chance(0.4)) {
      const terms = Array.from({ length: 2 + random.below(2) }, () => this.filter(table, depth - 1))
      return `(${terms.join(random.of([' && ', ' || ', '&&']))})`
    }
    const right = random.chance(0.15) ? this.#name(table) : this.#value()
    const sides = [this.#name(table), right]
    return (random.chance(0.1) ? sides.toReversed() : sides).join(` ${random.of(OPERATORS)} `)
  }

  /** Keys to sort by: of several related records, none in particular decides. */
  sort(table: Table): string {
    const random = this.#random
    const keys = Array.from({ length: 1 + random.below(2) }, () => {
      const name = this.#name(table)
      return random.of(['', '-', '+']) + (SEVERAL.test(name) ? 'created' : name)
    })
    return keys.join(',')
  }

  expand(table: Table): string {
    const relations = [...this.#fields(table), ...(PATHS[table] ?? [])]
    const names = this.#random.some(relations, 0.3).map((each) => each.split(/[.:]/)[0] ?? '')
    return [...new Set(names)].join(',')
  }

  /** Some fields of a response. */
  fields(table: Table): string {
    return this.#random.some([...this.#fields(table), 'id', 'created', 'expand.*'], 0.3).join(',')
  }

  #fields(table: Table): string[] {
    return Object.keys(COLLECTIONS.find(({ name }) => name === table)?.fields ?? {})
  }

  #name(table: Table): string {
    const random = this.#random
    const paths = PATHS[table] ?? []
    if (paths.length > 0 && random.chance(0.4)) return random.of(paths)
    return random.of([
      ...this.#fields(table),
      'id',
      'created',
      'updated',
      random.chance(0.2) ? 'none' : 'created',
    ])
  }

  #value(): string {
    const random = this.#random
    const kind = random.below(10)
    if (kind < 4) return JSON.stringify(random.text())
    if (kind < 6) return String(random.of(NUMBERS))
    if (kind === 6) return `"${idOf(random.of(['u', 'q', 'j', 'e']), random.below(4))}"`
    if (kind === 7) return random.of(['"2026-01-31 05:00:00.000Z"', '"2026-01-31"', '"2026-01-30 20"', '""'])
    if (kind === 8)
      return `"${random.of(['completed', 'failed', 'pending', 'full', 'CryostatReading', 'process'])}"`
    return random.of(NAMES)
  }
}
