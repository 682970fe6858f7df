/** What every kind of field may say about itself. */
interface Common {
  /** Refuses the empty value of the kind ('', 0, false, [], null). */
  readonly required?: boolean
  /** Never shown to callers who are not superusers. */
  readonly hidden?: boolean
  /** Never shown through any API. */
  readonly internal?: boolean
  /** Set by the server only; a value in a request body is refused. */
  readonly readOnly?: boolean
  /** One sentence for the reference pages and the admin form. */
  readonly help?: string
}

/** Free text. `max` is 5000 characters unless said otherwise. */
export interface TextField extends Common {
  readonly kind: 'text'
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
  /** No two records share a value; empty values are not compared. */
  readonly unique?: boolean
  readonly default?: string
}

/** An e-mail address or ''. */
export interface EmailField extends Common {
  readonly kind: 'email'
  readonly unique?: boolean
}

/** A number; `integer` refuses fractions. The range is not applied to 0, the empty value. */
export interface NumberField extends Common {
  readonly kind: 'number'
  readonly integer?: boolean
  readonly min?: number
  readonly max?: number
  readonly default?: number
}

/** Seconds with at most 3 decimals for callers, whole milliseconds in `column`; changed only through the ledger. */
export interface SecondsField extends Common {
  readonly kind: 'seconds'
  readonly column: string
  readonly min?: number
}

export interface BoolField extends Common {
  readonly kind: 'bool'
  readonly default?: boolean
}

/** A time as `2026-01-31 09:05:00.000Z` (UTC) or ''. */
export interface DateField extends Common {
  readonly kind: 'date'
}

/** One of a fixed set; an optional choice has '' as its first member. */
export interface ChoiceField<T extends string = string> extends Common {
  readonly kind: 'choice'
  readonly choices: readonly T[]
  readonly default?: string
}

/** The id of one record of another collection or ''. */
export interface RelationField extends Common {
  readonly kind: 'relation'
  /** Name of the collection the id belongs to. */
  readonly to: string
  /** Removing the other record removes this one too. */
  readonly cascade?: boolean
  /** Keeps the id when the other record is removed: for logs that tell history. */
  readonly keep?: boolean
}

/** Ids of several records of another collection, in order, without repetition. */
export interface RelationsField extends Common {
  readonly kind: 'relations'
  readonly to: string
  readonly max?: number
}

/** Any JSON value; null when unset. `maxBytes` is 1 MiB unless said otherwise. */
export interface JsonField extends Common {
  readonly kind: 'json'
  readonly maxBytes?: number
}

export type AnyField =
  | TextField
  | EmailField
  | NumberField
  | SecondsField
  | BoolField
  | DateField
  | ChoiceField
  | RelationField
  | RelationsField
  | JsonField

/** The TypeScript type of a field's value. */
export type ValueOf<F extends AnyField> =
  F extends ChoiceField<infer T>
    ? T
    : F extends NumberField | SecondsField
      ? number
      : F extends BoolField
        ? boolean
        : F extends RelationsField
          ? string[]
          : F extends JsonField
            ? unknown
            : string

type Options<F extends AnyField, Given extends string = never> = Omit<F, 'kind' | Given>

/** Declares free text. */
export function text(options: Options<TextField> = {}): TextField {
  return { kind: 'text', ...options }
}

/** Declares an e-mail address. */
export function email(options: Options<EmailField> = {}): EmailField {
  return { kind: 'email', ...options }
}

/** Declares a number. */
export function number(options: Options<NumberField> = {}): NumberField {
  return { kind: 'number', ...options }
}

/** Declares a whole number. */
export function integer(options: Options<NumberField, 'integer'> = {}): NumberField {
  return { kind: 'number', integer: true, ...options }
}

/** Declares seconds kept as whole milliseconds in `column`. */
export function seconds(options: Options<SecondsField>): SecondsField {
  return { kind: 'seconds', ...options }
}

/** Declares true or false. */
export function bool(options: Options<BoolField> = {}): BoolField {
  return { kind: 'bool', ...options }
}

/** Declares a time. */
export function date(options: Options<DateField> = {}): DateField {
  return { kind: 'date', ...options }
}

/** Declares one of a fixed set, always set; without `default` the creator must say which. */
export function choice<const T extends string>(
  choices: readonly T[],
  options: Options<ChoiceField, 'choices' | 'required'> = {},
): ChoiceField<T> {
  return { kind: 'choice', choices, required: true, ...options }
}

/** Declares one of a fixed set, or '' when unset. */
export function optionalChoice<const T extends string>(
  choices: readonly T[],
  options: Options<ChoiceField, 'choices' | 'required' | 'default'> = {},
): ChoiceField<T | ''> {
  return { kind: 'choice', choices: ['', ...choices], ...options }
}

/** Declares the id of a record of the collection `to`. */
export function relation(to: string, options: Options<RelationField, 'to'> = {}): RelationField {
  return { kind: 'relation', to, ...options }
}

/** Declares ids of records of the collection `to`. */
export function relations(to: string, options: Options<RelationsField, 'to'> = {}): RelationsField {
  return { kind: 'relations', to, ...options }
}

/** Declares any JSON value. */
export function json(options: Options<JsonField> = {}): JsonField {
  return { kind: 'json', ...options }
}
