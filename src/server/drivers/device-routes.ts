import * as v from 'valibot'
import { operation } from '../../protocol/index.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const optionSchema = shape('DeviceOption', {
  key: described(v.string(), 'Key of -o, or name of an environment variable'),
  source: v.picklist(['option', 'environment']),
  label: described(v.string(), 'What a form calls it'),
  group: described(v.string(), 'Heading in a form; empty = none'),
  unit: described(v.nullable(v.string()), 'Null = none'),
  form: described(v.string(), 'boolean, choice, n, seconds, path, url, text or a list such as text,…'),
  choices: described(v.pipe(v.array(v.string()), v.readonly()), 'The accepted words of a choice'),
  required: v.boolean(),
  default: described(v.nullable(v.string()), 'As text; null = none'),
  example: v.nullable(v.string()),
  help: v.string(),
  secret: described(v.boolean(), 'Do not show or store its value'),
})
const deviceSchema = shape('Device', { operation, name: v.string(), options: v.array(optionSchema) })

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
