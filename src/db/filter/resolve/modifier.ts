import { badFilter, shown } from '../language/limits.ts'

const MODIFIERS = ['length', 'each', 'lower', 'isset', 'changed'] as const

/** What may stand behind a name after a colon. */
export type Modifier = (typeof MODIFIERS)[number]

/**
 * Splits `name:modifier`.
 * @throws AppError `invalid` for a modifier that does not exist.
 */
export function splitModifier(prop: string): { name: string; modifier: Modifier | undefined } {
  const colon = prop.indexOf(':')
  if (colon < 0) return { name: prop, modifier: undefined }
  const text = prop.slice(colon + 1)
  const modifier = MODIFIERS.find((each) => each === text)
  if (modifier) return { name: prop.slice(0, colon), modifier }
  const known = MODIFIERS.map((each) => `:${each}`).join(' ')
  throw badFilter(`:${shown(text)} is no modifier; known are ${known}`)
}
