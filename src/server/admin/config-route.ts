import * as v from 'valibot'
import { listSettings } from '../config/list-settings.ts'
import { defineRoute } from '../http/route.ts'

const setting = v.object({
  name: v.pipe(v.string(), v.description('Key of the config file')),
  flag: v.string(),
  variable: v.pipe(v.string(), v.description('Environment variable')),
  group: v.string(),
  help: v.string(),
  value: v.pipe(v.string(), v.description('Value in force; a secret is masked, and empty if it is not set')),
  default: v.string(),
  source: v.picklist(['flag', 'environment', 'file', 'default']),
  place: v.pipe(
    v.string(),
    v.description('Where it was given: flag, variable, or file, line and key; the flag for defaults'),
  ),
  reloadable: v.pipe(v.boolean(), v.description('Whether a reload (SIGHUP) changes it')),
  secret: v.boolean(),
  next_value: v.pipe(
    v.nullable(v.string()),
    v.description('Value of the next start, where a reload has read another one than that in force'),
  ),
})

/** The effective configuration. */
export const configRoute = defineRoute({
  method: 'GET',
  path: '/api/op/config',
  access: 'superuser',
  summary: 'Retrieve every setting with its value in force and the place where it was given',
  response: v.object({ settings: v.array(setting) }),
  run: async ({ config, live }) => ({ settings: listSettings(config, live) }),
})
