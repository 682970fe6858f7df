import { type JsonSchema, type WireType, WireTypes } from './wire.ts'

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  /** Ways to sign in, one of which is needed; none on a public route. */
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
  /** Status by code of an error. */
  readonly 'x-error-codes': Readonly<Record<string, number>>
}

/** The OpenAPI document, as far as the clients are made of it. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** An operation with its method and path, such as `GET /api/jobs/{id}`. */
export interface PlacedOperation extends Operation {
  readonly method: string
  readonly path: string
}

/** All operations, in the order of the document. */
export function operationsOf({ paths }: ApiDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

/**
 * The types of everything that clients send and receive as JSON: the named schemas, then, for bodies without
 * a name of their own, `<Operation>Body` and `<Operation>Response`.
 */
export function wireTypesOf(document: ApiDocument): readonly WireType[] {
  const types = new WireTypes()
  for (const [name, schema] of Object.entries(document.components.schemas)) types.declare(name, schema)
  for (const operation of operationsOf(document)) {
    const name = operation.operationId.charAt(0).toUpperCase() + operation.operationId.slice(1)
    const body = jsonOf(operation.requestBody)
    if (body?.properties) types.shapeOf(body, `${name}Body`)
    const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
    const response = jsonOf(success?.[1])
    if (response) types.shapeOf(response, `${name}Response`)
  }
  return types.all
}

function jsonOf(content: Content | undefined): JsonSchema | undefined {
  return content?.content?.['application/json']?.schema
}

/** Every code of an error with its statuses. */
export function errorCodesOf(document: ApiDocument): Record<string, number[]> {
  const codes: Record<string, number[]> = {}
  for (const { 'x-error-codes': own } of operationsOf(document))
    for (const [code, status] of Object.entries(own))
      codes[code] = [...new Set([...(codes[code] ?? []), status])].sort((one, other) => one - other)
  return Object.fromEntries(Object.entries(codes).sort(([one], [other]) => (one < other ? -1 : 1)))
}
