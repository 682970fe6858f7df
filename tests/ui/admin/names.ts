import * as v from 'valibot'
import { type Collection, collection } from '../../../ui/admin/collections/model.ts'

const RULES = { listRule: null, viewRule: null, createRule: null, updateRule: null, deleteRule: null }

function of(id: string, name: string, fields: object[]): Collection {
  return v.parse(collection, { id, name, type: 'base', ...RULES, fields })
}

const id = { name: 'id', type: 'text', required: true }

/** Collections that refer to one another, as in the service. */
export const users = of('c_users', 'users', [
  id,
  { name: 'password', type: 'password', hidden: true },
  { name: 'email', type: 'email' },
  { name: 'qpu_seconds', type: 'number' },
  { name: 'disabled', type: 'bool' },
])
export const qpus = of('c_qpus', 'qpus', [
  id,
  { name: 'name', type: 'text', max: 100 },
  { name: 'status', type: 'select', required: true, readOnly: true, values: ['offline', 'online'] },
  { name: 'num_qubits', type: 'number', onlyInt: true },
  { name: 'config', type: 'json' },
])
export const slots = of('c_slots', 'time_slots', [
  id,
  { name: 'user', type: 'relation', collectionId: 'c_users', required: true },
  { name: 'qpu', type: 'relation', collectionId: 'c_qpus' },
  { name: 'guests', type: 'relation', collectionId: 'c_users', maxSelect: 9 },
  { name: 'kind', type: 'select', values: ['own', 'shared'] },
  { name: 'start', type: 'date', required: true },
  { name: 'notes', type: 'json', maxSize: 1_000_000 },
  { name: 'created', type: 'autodate' },
])
export const all = [users, qpus, slots]
/** Filters of time slots. */
export const names = { collection: slots, all }
