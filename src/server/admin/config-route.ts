import * as v from 'valibot'
import { appendAudit } from '../../db/journal/index.ts'
import { listSettings } from '../config/list-settings.ts'
import { RELOADABLE } from '../config/live-config.ts'
import { callerName } from '../http/caller.ts'
import { defineRoute } from '../http/route.ts'
import { described } from '../http/schema.ts'

const setting = v.object({
  name: described(v.string(), 'Key of the config file'),
  flag: v.string(),
  variable: described(v.string(), 'Environment variable'),
  group: v.string(),
  help: v.string(),
  value: described(v.string(), 'Value in force; a secret is masked, and empty if it is not set'),
  default: v.string(),
  source: v.picklist(['flag', 'environment', 'file', 'default']),
  place: described(
    v.string(),
    'Where it was given: flag, variable, or file, line and key; the flag for defaults',
  ),
  reloadable: described(v.boolean(), 'Whether a reload changes it'),
  secret: v.boolean(),
  next_value: described(
    v.nullable(v.string()),
    'Value of the next start, where a reload has read another one than that in force',
  ),
})

/** The effective configuration. */
export const configRoute = defineRoute('GET /api/op/config', {
  access: 'superuser',
  summary: 'Retrieve every setting with its value in force and the place where it was given',
  response: v.object({ settings: v.array(setting) }),
  run: async ({ config, live }) => ({ settings: listSettings(config, live) }),
})

const names = v.array(v.string())

/** Reads the config file again, as SIGHUP does. */
export const reloadRoute = defineRoute('POST /api/op/config/reload', {
  access: 'superuser',
  summary: 'Read the config file again and apply the settings that may change while the server runs',
  response: v.object({
    changed: described(names, 'Settings whose new values are in force'),
    need_restart: described(names, 'Settings with another value at the next start'),
  }),
  errors: { wrong_settings: 409 },
  async run({ db, live }, { caller }) {
    const { changed, needRestart } = live.reload()
    const entry = { actor: callerName(caller), action: 'config.reload', subject: '', detail: { changed } }
    await db.write('audit reload', (tx) => appendAudit(tx, entry))
    return { changed, need_restart: needRestart }
  },
})

/** No value of such a setting is longer. */
const MAX_VALUE_LENGTH = 10_000
const value = v.pipe(v.string(), v.maxLength(MAX_VALUE_LENGTH))

/** Changes one setting in the config file. */
export const changeRoute = defineRoute('PATCH /api/op/config', {
  access: 'superuser',
  summary: 'Change a setting in the config file, whose comments stay, and apply it',
  body: v.object({
    name: described(v.picklist(RELOADABLE), 'A setting that may change while the server runs'),
    value: described(v.nullable(value), 'As text; null for the default'),
    before: described(value, 'The value in force, which this one replaces'),
  }),
  response: v.object({ changed: names }),
  errors: { set_elsewhere: 409, config_changed: 409, config_not_writable: 409 },
  async run({ db, live }, { caller, body }) {
    const { changed } = await live.change(body)
    const { name, ...detail } = body
    const entry = { actor: callerName(caller), action: 'config.change', subject: name, detail }
    await db.write('audit change of a setting', (tx) => appendAudit(tx, entry))
    return { changed }
  },
})
