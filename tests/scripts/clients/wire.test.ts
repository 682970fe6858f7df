import { describe, expect, test } from 'bun:test'
import { contractOf } from '../../../scripts/clients/contract.ts'
import { goPackage } from '../../../scripts/clients/go.ts'
import { type ApiDocument, errorCodesOf, wireTypesOf } from '../../../scripts/clients/operations.ts'
import { pythonModule } from '../../../scripts/clients/python.ts'
import { typeScriptModule } from '../../../scripts/clients/typescript.ts'
import { type JsonSchema, WireTypes } from '../../../scripts/clients/wire.ts'

const TEXT: JsonSchema = { type: 'string' }
const step: JsonSchema = { type: 'object', properties: { at: TEXT }, required: ['at'] }

/** A job with nested objects, of which two are alike. */
const job: JsonSchema = {
  type: 'object',
  title: 'Job',
  description: 'A job',
  properties: {
    id: TEXT,
    from: { type: 'integer', description: 'Unix ms' },
    status: { enum: ['pending', 'completed'], type: 'string' },
    error: { anyOf: [TEXT, { type: 'null' }] },
    steps: { type: 'array', items: step },
    last: step,
    sizes: { type: 'array', items: { type: 'array', prefixItems: [TEXT, { type: 'number' }] } },
    counts: { type: 'object', additionalProperties: { type: 'number' } },
    results: { anyOf: [{ type: 'object', properties: { ok: { type: 'boolean' } } }, TEXT, {}] },
    anything: {},
  },
  required: ['id', 'from', 'status', 'error', 'steps', 'sizes'],
}

function typesOf(schemas: Record<string, JsonSchema>) {
  const types = new WireTypes()
  for (const [name, schema] of Object.entries(schemas)) types.declare(name, schema)
  return types.all
}

describe('wire types', () => {
  const types = typesOf({ Job: job, Either: { anyOf: [{ $ref: '#/components/schemas/Job' }, TEXT] } })

  test('objects inside of others get the name of their place, once for equal fields', () => {
    expect(types.map(({ name }) => name)).toEqual(['JobStep', 'JobResults', 'Job', 'Either'])
  })

  test('two types of one name are refused', () => {
    expect(() => typesOf({ JobStep: { ...step, title: 'JobStep' }, Job: job })).not.toThrow()
    const other = { ...job, properties: { steps: { type: 'array', items: { ...step, title: 'x' } } } }
    expect(() => typesOf({ JobStep: TEXT, Job: other })).toThrow('Two types of the API are called JobStep')
  })

  test('in TypeScript', () => {
    expect(typeScriptModule(types)).toContain(`/** A job */
export interface Job {
  readonly id: string
  /** Unix ms */
  readonly from: number
  readonly status: "pending" | "completed"
  readonly error: string | null
  readonly steps: readonly JobStep[]
  readonly last?: JobStep
  readonly sizes: readonly (readonly [string, number])[]
  readonly counts?: { readonly [key: string]: number }
  readonly results?: JobResults | string
  readonly anything?: unknown
}

export type Either = Job | string
`)
  })

  test('in Python, where from is no attribute', () => {
    const module = pythonModule(types)
    expect(module).toContain('\nclass JobStep(TypedDict):\n    at: str\n')
    expect(module).toContain('        "from": "int",\n')
    expect(module).toContain('        "status": "Literal[\\"pending\\", \\"completed\\"]",\n')
    expect(module).toContain('\nEither = Union[Job, str]\n')
  })

  test('in Go, where what may be absent is a pointer', () => {
    const code = goPackage(types)
    expect(code).toContain('\tID string `json:"id"`\n')
    expect(code).toContain('\tError *string `json:"error"`\n')
    expect(code).toContain('\tLast *JobStep `json:"last,omitempty"`\n')
    expect(code).toContain('\tCounts map[string]float64 `json:"counts,omitempty"`\n')
    expect(code).toContain('\tResults any `json:"results,omitempty"`\n')
  })
})

describe('operations', () => {
  const operation = (id: string, codes: Record<string, number>, response: JsonSchema) => ({
    ...{ operationId: id, summary: '', security: [], 'x-error-codes': codes },
    requestBody: { content: { 'application/json': { schema: { ...step, properties: { [id]: TEXT } } } } },
    responses: { '201': { content: { 'application/json': { schema: response } } }, '400': {} },
  })
  const document: ApiDocument = {
    paths: {
      '/a': { post: operation('postA', { invalid: 400, conflict: 409 }, { type: 'array', items: step }) },
      '/b': { get: operation('getB', { invalid: 422 }, { $ref: '#/components/schemas/Job' }) },
    },
    components: { schemas: { Job: job } },
  }

  test('bodies and responses without a name are called after their operation', () => {
    const names = wireTypesOf(document).map(({ name }) => name)
    expect(names).toEqual(['JobStep', 'JobResults', 'Job', 'PostABody', 'GetBBody'])
  })

  test('the contract has a line for each route, field and limit, and common codes once', () => {
    const limited = { ...TEXT, minLength: 1, pattern: '^a' }
    const postC = {
      ...operation('postC', { invalid: 400, limited: 429 }, { type: 'object', properties: { at: TEXT } }),
      security: [{ login: [] }],
      parameters: [{ in: 'query', name: 'q', schema: limited }],
    }
    const getD = operation('getD', { invalid: 400 }, { type: 'array', items: { ...job, properties: {} } })
    const schemas = { Long: { ...job, required: ['id'] } }
    const paths = { '/c': { post: postC }, '/d': { get: getD } }
    const lines = contractOf({ paths, components: { schemas } }).split('\n')
    expect(lines.slice(lines.indexOf('Every route'))).toEqual([
      ...['Every route', '  400 invalid', ''],
      ...['POST /c (login)', '  query q?: string minLength 1 pattern "^a"', '  body { postC?: string }'],
      ...['  201 { at?: string }', '  429 limited', ''],
      ...['GET /d (public)', '  body { getD?: string }', '  201 list of (map)', ''],
      ...['Long: {', '  id: string', '  from?: integer', '  status?: "pending" | "completed"'],
      ...['  error?: string | null', '  steps?: list of ({ at: string })', '  last?: { at: string }'],
      ...['  sizes?: list of ([string, number])', '  counts?: map of (number)'],
      ...['  results?: { ok?: boolean } | string | any', '  anything?: any', '}', ''],
    ])
  })

  test('every code of an error is listed with its statuses', () => {
    expect(errorCodesOf(document)).toEqual({ conflict: [409], invalid: [400, 422] })
  })
})
