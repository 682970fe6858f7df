import { toJsonSchema } from '@valibot/to-json-schema'
import { type GenericSchema, getTitle } from 'valibot'
import { row } from './table.ts'

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  required?: string[]
  $ref?: string
  title?: string
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  type?: string | string[]
  items?: JsonSchema
  minimum?: number
  maximum?: number
  maxLength?: number
}

function typeOf(schema: JsonSchema): string {
  if (schema.title) return schema.title
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.anyOf)
    return [...new Set(schema.anyOf.flatMap((each) => typeOf(each).split(' or ')))].join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  const bounds = [schema.minimum, schema.maximum].some((bound) => bound !== undefined)
    ? ` ${schema.minimum ?? ''}…${schema.maximum ?? ''}`
    : ''
  return `${[schema.type ?? 'any'].flat().join(' or ')}${bounds}`
}

/** The body of a successful response: the name of a shape, a list of it, or the fields. */
export function responseOf(schema: GenericSchema | undefined, media: string | undefined): string {
  if (!schema) return media ? `\`${media}\`` : ''
  const json = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'output' }) as JsonSchema
  return json.properties && !json.title ? fieldsOf(schema, false, 'output') : typeOf(json)
}

/** Fields from which a shape names another one in place of the fields of it. */
const MIN_COMMON_FIELDS = 4

/** A row for each named shape: its variants, or its fields, of which another shape may have most. */
export function shapeRows(shapes: Record<string, GenericSchema>): string[] {
  const fields = new Map(
    Object.entries(shapes).map(([title, schema]) => [title, fieldMap(schema, false, 'output')]),
  )
  return Object.entries(shapes).map(([title, schema]) => {
    const { anyOf } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'output' }) as JsonSchema
    return row(title, anyOf ? typeOf({ anyOf }) : shorter(title, fields))
  })
}

/** The fields of a shape, beside the name of the one with most fields of which it has all. */
function shorter(title: string, shapes: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  const own = shapes.get(title) ?? new Map<string, string>()
  const order = [...shapes.keys()]
  let base = ''
  let rest = [...own.values()]
  for (const [other, fields] of shapes) {
    const isBefore = fields.size < own.size || order.indexOf(other) < order.indexOf(title)
    if (other === title || !isBefore || [...fields.keys()].some((name) => !own.has(name))) continue
    const left = [...own].filter(([name, text]) => fields.get(name) !== text).map(([, text]) => text)
    if (own.size - left.length < MIN_COMMON_FIELDS || left.length >= rest.length) continue
    base = other
    rest = left
  }
  return [...(base === '' ? [] : [`all of ${base}`]), ...rest].join('; ')
}

/** The name of the shape of a request body, or its fields. */
export function bodyOf(schema: GenericSchema | undefined): string {
  return (schema && getTitle(schema)) ?? fieldsOf(schema)
}

/** The fields of all variants of a schema. `mark` puts a star behind those that are required. */
export function fieldsOf(
  schema: GenericSchema | undefined,
  mark = true,
  typeMode: 'input' | 'output' = 'input',
): string {
  return schema ? [...fieldMap(schema, mark, typeMode).values()].join('; ') : ''
}

/** The fields of all variants of a schema, by name. */
function fieldMap(schema: GenericSchema, mark: boolean, typeMode: 'input' | 'output'): Map<string, string> {
  return new Map(shapesIn(schema, typeMode).flatMap((shape) => [...fieldTexts(shape, mark)]))
}

/** Each variant of a payload with its own fields. */
export function variantsOf(schema: GenericSchema): string {
  const variants = shapesIn(schema, 'input').map((shape) => [...fieldTexts(shape, true).values()].join('; '))
  return variants.join('<br>or ')
}

/** The variants of a schema. */
function shapesIn(schema: GenericSchema, typeMode: 'input' | 'output'): JsonSchema[] {
  const json = toJsonSchema(schema, { errorMode: 'ignore', typeMode }) as JsonSchema
  return json.anyOf ?? json.oneOf ?? [json]
}

function fieldTexts(shape: JsonSchema, mark: boolean): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    const star = mark && shape.required?.includes(name) ? '*' : ''
    const type = typeOf(field)
    fields.set(name, `\`${name}\`${star}${type === 'string' ? '' : ` ${type}`}`)
  }
  return fields
}
