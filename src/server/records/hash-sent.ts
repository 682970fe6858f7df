import { hashToken } from '../access-token.ts'
import type { Values } from './behavior.ts'

/** Replaces a raw token among the values by its hash; a stored hash that is sent back is left unchanged. */
export function hashSent(values: Values, name: string, stored?: string): void {
  const sent = values[name]
  if (typeof sent === 'string' && sent !== '' && sent !== stored) values[name] = hashToken(sent)
}
