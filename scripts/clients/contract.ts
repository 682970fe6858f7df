import { type ApiDocument, operationsOf, type PlacedOperation } from './operations.ts'
import type { JsonSchema } from './wire.ts'

const HEADING = `# What programs may rely on: each route with its access, parameters, bodies, statuses and codes of errors, and each
# type with its fields and their limits; ? is what may be absent. Written by \`npm run clients\` from the declarations of
# the routes. A change of the API is reviewed here; texts of the documentation are left out.
`

/** Characters of an object that is one line with what stands before it. */
const MAX_LINE = 110
/** Keywords that are written as the shape, or say nothing about what is sent; the others are limits. */
const SHAPE = new Set([
  ...['$ref', 'anyOf', 'const', 'enum', 'items', 'prefixItems', 'type', 'title', 'description'],
  ...['properties', 'required', 'additionalProperties', 'propertyNames'],
])

/** The contract of the API as text for reviews, about one line for each thing that can change. */
export function contractOf(document: ApiDocument): string {
  const operations = operationsOf(document)
  const common = Object.entries(operations[0]?.['x-error-codes'] ?? {}).filter(([code, status]) =>
    operations.every(({ 'x-error-codes': codes }) => codes[code] === status),
  )
  const isOwn = (code: string) => !common.some(([name]) => name === code)
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${name}: ${textOf(schema, '')}\n`,
  )
  return [
    HEADING,
    ['Every route', errorsOf(common)].map((line) => `${line}\n`).join(''),
    ...operations.map((operation) => `${routeOf(operation, isOwn).join('\n')}\n`),
    ...types,
  ].join('\n')
}

function routeOf(operation: PlacedOperation, isOwn: (code: string) => boolean): string[] {
  const { method, path, security, parameters = [], requestBody, responses } = operation
  const access = security.flatMap((scheme) => Object.keys(scheme)).join(' or ') || 'public'
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const codes = Object.entries(operation['x-error-codes'])
  return [
    `${method} ${path} (${access})`,
    ...parameters.map(
      ({ in: place, name, required = false, schema }) =>
        `  ${place} ${name}${required ? '' : '?'}: ${textOf(schema, '  ')}`,
    ),
    ...contentOf(requestBody?.content, '  body'),
    ...successes.flatMap(([status, { content }]) => contentOf(content ?? { nothing: {} }, `  ${status}`)),
    errorsOf(codes.filter(([code]) => isOwn(code))),
  ].filter((line) => line !== '')
}

/** One line for each type of content, with the schema of JSON. */
function contentOf(content: PlacedOperation['responses'][string]['content'], heading: string): string[] {
  return Object.entries(content ?? {}).map(([media, { schema }]) =>
    media === 'application/json' ? `${heading} ${textOf(schema ?? {}, '  ')}` : `${heading} ${media}`,
  )
}

/** Codes of errors behind their statuses. */
function errorsOf(codes: readonly (readonly [string, number])[]): string {
  const statuses = [...new Set(codes.map(([, status]) => status))].sort((one, other) => one - other)
  const named = (status: number) => codes.filter(([, each]) => each === status).map(([code]) => code)
  const groups = statuses.map((status) => [status, ...named(status)].join(' '))
  return groups.length === 0 ? '' : `  ${groups.join(', ')}`
}

/** A schema as text; each field of an object that is no short line has a line, further in than `indent`. */
function textOf(schema: JsonSchema, indent: string): string {
  const limits = Object.entries(schema).filter(([keyword]) => !SHAPE.has(keyword))
  return [shapeOf(schema, indent), ...limits.map(([name, value]) => `${name} ${JSON.stringify(value)}`)].join(
    ' ',
  )
}

function shapeOf(schema: JsonSchema, indent: string): string {
  const { $ref, anyOf, enum: values, items, prefixItems, type = 'any' } = schema
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (anyOf) return anyOf.map((option) => textOf(option, indent)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (prefixItems) return `[${prefixItems.map((item) => textOf(item, indent)).join(', ')}]`
  if (items) return `list of (${textOf(items, indent)})`
  return type === 'object' ? objectOf(schema, indent) : type
}

function objectOf(schema: JsonSchema, indent: string): string {
  const { properties = {}, required = [], additionalProperties: others, propertyNames } = schema
  const keys = propertyNames ? ` by (${textOf(propertyNames, indent)})` : ''
  const values = typeof others === 'object' ? ` of (${textOf(others, indent)})` : ''
  const open = others === false ? 'closed ' : ''
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${textOf(field, `${indent}  `)}`,
  )
  if (fields.length === 0) return `${open}map${keys}${values}`
  const line = `${open}{ ${fields.join(', ')} }${values}`
  if (line.length <= MAX_LINE - indent.length && !line.includes('\n')) return line
  return `${open}{\n${fields.map((field) => `${indent}  ${field}\n`).join('')}${indent}}${values}`
}
