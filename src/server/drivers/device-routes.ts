import * as v from 'valibot'
import { operation } from '../../protocol/index.ts'
import { defineRoute, type Route } from '../http/route.ts'

const optionSchema = v.pipe(
  v.object({
    key: v.pipe(v.string(), v.description('Key of -o, or name of an environment variable')),
    source: v.picklist(['option', 'environment']),
    label: v.pipe(v.string(), v.description('What a form calls it')),
    group: v.pipe(v.string(), v.description('Heading in a form; empty = none')),
    unit: v.pipe(v.nullable(v.string()), v.description('Null = none')),
    form: v.pipe(
      v.string(),
      v.description('boolean, choice, n, seconds, path, url, text or a list such as text,…'),
    ),
    choices: v.pipe(v.array(v.string()), v.readonly(), v.description('The accepted words of a choice')),
    required: v.boolean(),
    default: v.pipe(v.nullable(v.string()), v.description('As text; null = none')),
    example: v.nullable(v.string()),
    help: v.string(),
    secret: v.pipe(v.boolean(), v.description('Do not show or store its value')),
  }),
  v.title('DeviceOption'),
)
const deviceSchema = v.pipe(
  v.object({ operation, name: v.string(), options: v.array(optionSchema) }),
  v.title('Device'),
)

/** The devices that a driver of the same version can run, for forms. */
export type DeviceSchemas = v.InferOutput<typeof deviceSchema>[]

/** Lists devices; `describe` loads their declarations, which the server itself does not need. */
export function deviceRoutes(describe: () => Promise<DeviceSchemas>): Route[] {
  return [
    defineRoute('GET /api/devices', {
      access: 'signed_in',
      summary: 'List the built-in devices of this version, each with the options that its driver accepts',
      response: v.array(deviceSchema),
      run: () => describe(),
    }),
  ]
}
