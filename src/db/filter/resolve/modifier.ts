import { badFilter, shortened } from '../language/limits.ts'

const MODIFIERS = ['length', 'each', 'lower', 'isset', 'changed'] as const

/** The modifiers that may follow a name after a colon. */
export type Modifier = (typeof MODIFIERS)[number]

/**
 * Splits `name:modifier`.
 * @throws AppError `invalid` for an unknown modifier.
 */
export function splitModifier(prop: string): { name: string; modifier: Modifier | undefined } {
  const colon = prop.indexOf(':')
  if (colon < 0) return { name: prop, modifier: undefined }
  const text = prop.slice(colon + 1)
  const modifier = MODIFIERS.find((each) => each === text)
  if (modifier) return { name: prop.slice(0, colon), modifier }
  const known = MODIFIERS.map((each) => `:${each}`).join(' ')
  throw badFilter(`:${shortened(text)} is not a modifier; known modifiers are ${known}`)
}
