import { toTimestamp } from '../../../../src/base/index.ts'
import { type Row, SIGNED_IN, SUPERUSER_CREATES, SUPERUSER_MISSES } from './row.ts'

let days = 0
/** A day of 2026-01 that no other call gets. */
const nextDay = () => {
  days += 1
  return toTimestamp(Date.UTC(2026, 0, 1 + days))
}

/** Recalls of results. */
export const RECALL_ROWS: readonly Row[] = [
  {
    route: 'POST /api/op/recalls',
    statuses: SUPERUSER_CREATES,
    call: ({ qpu }) => ({ body: { qpu: qpu.name, from: '2026-01-01', to: nextDay(), reason: 'bad' } }),
  },
  {
    route: 'POST /api/op/recalls/:id/undo',
    statuses: SUPERUSER_MISSES,
    call: () => ({ path: '/api/op/recalls/none/undo', body: { reason: 'good' } }),
  },
  { route: 'GET /api/recalls', statuses: SIGNED_IN },
]
