/** A JSON Schema of the OpenAPI document, in the keywords that its generator uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number | boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly propertyNames?: JsonSchema
}

/** The shape of one JSON value. */
export type Shape =
  | { kind: 'text' | 'number' | 'integer' | 'flag' | 'any' }
  | { kind: 'literal'; values: readonly (string | number | boolean)[] }
  | { kind: 'list'; of: Shape }
  | { kind: 'tuple'; of: readonly Shape[] }
  | { kind: 'map'; of: Shape }
  | { kind: 'nullable'; of: Shape }
  | { kind: 'union'; of: readonly Shape[] }
  | { kind: 'named'; name: string }

/** A field of an object on the wire. */
export interface WireField {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
  readonly description?: string
}

/** A named type: an object with fields, or another name for a shape. */
export interface WireType {
  readonly name: string
  readonly description?: string
  readonly fields?: readonly WireField[]
  readonly alias?: Shape
}

const ANY: Shape = { kind: 'any' }
const SCALARS: Readonly<Record<string, Shape>> = {
  string: { kind: 'text' },
  number: { kind: 'number' },
  integer: { kind: 'integer' },
  boolean: { kind: 'flag' },
}

/** `JobDetail` + `error_code` = `JobDetailErrorCode`. */
function nameInside(parent: string, field: string): string {
  const words = field.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return parent + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** `circuits` is a list of `Circuit`, `entries` of `Entry`; `series` has no singular. */
function singular(name: string): string {
  if (/[Ss]eries$/.test(name)) return name
  if (/ies$/.test(name)) return `${name.slice(0, -3)}y`
  return /[^su]s$/.test(name) ? name.slice(0, -1) : name
}

/**
 * Collects the named types of an OpenAPI document. Objects inside of others get the name of their place,
 * unless an object of the same fields has a name already.
 */
export class WireTypes {
  readonly #types = new Map<string, WireType>()
  /** Names of types by their fields. */
  readonly #names = new Map<string, string>()

  /** All types in the order of their first use. */
  get all(): readonly WireType[] {
    return [...this.#types.values()]
  }

  /** Adds a schema under a name of its own. */
  declare(name: string, schema: JsonSchema): void {
    if (schema.properties) this.#declareObject(name, schema)
    else this.#add({ name, ...described(schema), alias: this.shapeOf(schema, name) })
  }

  /** The shape of a schema; `name` is for the objects in it that have none. */
  shapeOf(schema: JsonSchema, name: string): Shape {
    if (schema.$ref !== undefined)
      return { kind: 'named', name: schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) }
    if (schema.anyOf) return this.#unionOf(schema.anyOf, name)
    if (schema.const !== undefined) return { kind: 'literal', values: [schema.const] }
    if (schema.enum) return { kind: 'literal', values: schema.enum }
    if (schema.prefixItems)
      return { kind: 'tuple', of: schema.prefixItems.map((item) => this.shapeOf(item, name)) }
    if (schema.type === 'array') return { kind: 'list', of: this.shapeOf(schema.items ?? {}, singular(name)) }
    if (schema.type === 'object') return this.#objectOf(schema, name)
    return SCALARS[schema.type ?? ''] ?? ANY
  }

  #objectOf(schema: JsonSchema, name: string): Shape {
    if (Object.keys(schema.properties ?? {}).length === 0) {
      const { additionalProperties: values } = schema
      return { kind: 'map', of: typeof values === 'object' ? this.shapeOf(values, name) : ANY }
    }
    return { kind: 'named', name: this.#declareObject(name, schema) }
  }

  #declareObject(name: string, schema: JsonSchema): string {
    const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => ({
      name: field,
      shape: this.shapeOf(value, nameInside(name, field)),
      isRequired: schema.required?.includes(field) ?? false,
      ...described(value),
    }))
    const known = this.#names.get(keyOf(fields))
    if (known !== undefined && schema.title === undefined) return known
    this.#names.set(keyOf(fields), name)
    this.#add({ name, ...described(schema), fields })
    return name
  }

  #unionOf(options: readonly JsonSchema[], name: string): Shape {
    const isNullable = options.some(({ type }) => type === 'null')
    const shapes = options
      .filter(({ type }) => type !== 'null')
      .map((option, at) => this.shapeOf(option, at === 0 ? name : `${name}${at + 1}`))
      .flatMap((shape) => (shape.kind === 'union' ? shape.of : [shape]))
    // Values that the server passes on unread are declared as what they are, or anything.
    const known = shapes.filter(({ kind }) => kind !== 'any')
    const distinct = [...new Map(known.map((shape) => [JSON.stringify(shape), shape])).values()]
    const [first = ANY, ...rest] = distinct
    const shape: Shape = rest.length === 0 ? first : { kind: 'union', of: distinct }
    return isNullable && shape.kind !== 'any' && shape.kind !== 'nullable'
      ? { kind: 'nullable', of: shape }
      : shape
  }

  #add(type: WireType): void {
    if (this.#types.has(type.name)) throw new Error(`Two types of the API are called ${type.name}`)
    this.#types.set(type.name, type)
  }
}

function described({ description }: JsonSchema): { description?: string } {
  return description === undefined ? {} : { description }
}

function keyOf(fields: readonly WireField[]): string {
  return JSON.stringify(fields.map(({ name, shape, isRequired }) => [name, shape, isRequired]))
}
