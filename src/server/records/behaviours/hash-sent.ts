import { hashToken } from '../../access-token.ts'
import type { Values } from '../behaviour.ts'

/** Replaces a raw token among the values by its hash; the stored hash, sent back, stays. */
export function hashSent(values: Values, name: string, stored?: string): void {
  const sent = values[name]
  if (typeof sent === 'string' && sent !== '' && sent !== stored) values[name] = hashToken(sent)
}
