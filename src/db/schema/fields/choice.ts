import type { FieldError } from '../../../base/index.ts'
import { literal } from '../../engine/sql.ts'
import type { Field, FieldKind, FieldOptions } from '../field.ts'
import { plainText } from '../plain-text.ts'

/** One of a fixed set; an optional choice has '' as its first member. */
interface ChoiceField<T extends string = string> extends Field {
  readonly kind: FieldKind<ChoiceField, string>
  readonly choices: readonly T[]
  readonly default?: string
}

const choiceKind: FieldKind<ChoiceField, string> = {
  ...plainText,
  columnConstraints(field, column) {
    const initial = field.default ?? (field.required ? undefined : '')
    const byDefault = initial === undefined ? '' : ` DEFAULT ${literal(initial)}`
    return `NOT NULL${byDefault} CHECK (${column} IN (${field.choices.map(literal).join(', ')}))`
  },
  check: ({ choices }, value) =>
    choices.some((each) => each === value) ? undefined : notAChoice(value, choices),
  items: 'one',

  publicType: 'select',
  publicOptions: ({ choices }) => ({ values: choices.filter((each) => each !== ''), maxSelect: 1 }),
  schema: ({ choices }) => ({ type: 'string', enum: choices }),
  isAudited: true,
}

interface RequiredChoiceOptions extends Omit<FieldOptions, 'required'> {
  readonly default?: string
}

/** Declares one of a fixed set, always set; without `default`, whoever creates a record must choose. */
export function choice<const T extends string>(
  choices: readonly T[],
  options: RequiredChoiceOptions = {},
): ChoiceField<T> {
  return { kind: choiceKind, choices, required: true, ...options }
}

/** Declares one of a fixed set, or '' when unset. */
export function optionalChoice<const T extends string>(
  choices: readonly T[],
  options: Omit<FieldOptions, 'required'> = {},
): ChoiceField<T | ''> {
  return { kind: choiceKind, choices: ['', ...choices], ...options }
}

function notAChoice(value: unknown, choices: readonly string[]): FieldError {
  const shown = typeof value === 'string' ? value.slice(0, 100) : typeof value
  const listed = choices.filter((choice) => choice !== '').join(', ')
  return { code: 'validation_invalid_value', message: `Invalid value ${shown}; expected ${listed}.` }
}
