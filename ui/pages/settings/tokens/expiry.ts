import { DAY_MS } from '../../../../src/base/portable/units.ts'
/** How long a new API token is valid. */
export const EXPIRIES = [
  { id: '7', title: '7 days' },
  { id: '30', title: '30 days' },
  { id: '90', title: '90 days' },
  { id: '365', title: '1 year' },
  { id: 'custom', title: 'Until a date' },
  { id: 'never', title: 'Never expires' },
] as const

export type Expiry = (typeof EXPIRIES)[number]['id']

/**
 * The time at which a choice expires, as the server expects it; empty for never. A date counts until its end
 * in UTC. Undefined when the date is missing or past.
 */
export function expiresAt(choice: Expiry, date: string, nowMs: number): string | undefined {
  if (choice === 'never') return ''
  const end = choice === 'custom' ? Date.parse(`${date}T23:59:59.999Z`) : nowMs + Number(choice) * DAY_MS
  if (Number.isNaN(end) || end <= nowMs) return undefined
  return new Date(end).toISOString().replace('T', ' ')
}
