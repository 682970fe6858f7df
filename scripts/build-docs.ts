/**
 * Writes docs/reference/{settings,routes,events}.md from the declarations in the code: `npm run docs`.
 * With `--check` it writes nothing and fails when a page is stale.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type GenericSchema, getTitle } from 'valibot'
import {
  flagOf,
  type Setting,
  type SettingsTable,
  silentLog,
  systemClock,
  variableOf,
} from '../src/base/index.ts'
import { version } from '../src/cli/version.ts'
import { DRIVER_SETTINGS } from '../src/driver/index.ts'
import { COMMANDS } from '../src/protocol/commands.ts'
import { EVENTS } from '../src/protocol/index.ts'
import { createServer, RELOADABLE, readConfig, SETTINGS, shapesOf } from '../src/server/index.ts'

const REFERENCE = join(import.meta.dir, '../docs/reference')
const NOTE = '<!-- Made by `npm run docs` from the declarations in the code. Do not edit. -->\n\n'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`

type Columns = 'with config keys' | 'without config keys'

/** One table per group of settings. */
function settingsTables(table: SettingsTable, columns: Columns): string {
  const groups = Map.groupBy(Object.entries(table), ([, { group }]) => group)
  const titles = [
    'Flag',
    'Variable',
    ...(columns === 'with config keys' ? ['Config key'] : []),
    'Default',
    'Meaning',
  ]
  const heading = `${row(...titles)}\n${row(...titles.map(() => '---')).replaceAll(' ', '')}`
  return [...groups]
    .map(([title, settings]) => {
      const rows = settings.map(([name, declared]) => settingRow(name, declared, columns))
      return `### ${title}\n\n${heading}\n${rows.join('\n')}\n`
    })
    .join('\n')
}

function settingRow(name: string, declared: Setting<unknown>, columns: Columns): string {
  const { kind, short, defaultText, isRequired, help } = declared
  const code = (text: string) => (text === '' ? '' : `\`${text}\``)
  const flag = code(kind.hint ? `${flagOf(name)} <${kind.hint}>` : flagOf(name))
  return row(
    short === undefined ? flag : `${code(`-${short}`)}, ${flag}`,
    code(variableOf(name, declared)),
    ...(columns === 'with config keys' ? [code(name)] : []),
    isRequired ? 'required' : code(defaultText),
    help,
  )
}

function settingsPage(): string {
  return `# Settings

Durations are written \`720h\`, \`30m\`, \`90s\`. Rates such as \`20:60\` mean 20 requests per second after a burst of 60;
\`0\` disables the limit. Switches have no value on the command line; elsewhere they are \`true\` or \`false\`.

## Server

The settings of \`svc serve\`. Precedence: flag, environment variable, config file (JSON or YAML), default.

A running server reloads these settings from its config file on SIGHUP: ${RELOADABLE.map((name) => `\`${name}\``).join(', ')}.

${settingsTables(SETTINGS, 'with config keys')}
## Driver

The settings of \`svc driver start\`. Precedence: flag, environment variable, default.

${settingsTables(DRIVER_SETTINGS, 'without config keys').trimEnd()}
`
}

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

/** What a success answers: the name of a shape, a list of it, or the fields. */
function answerOf(schema: GenericSchema | undefined, media: string | undefined): string {
  if (!schema) return media ? `\`${media}\`` : ''
  const json = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'output' }) as JsonSchema
  return json.properties && !json.title ? fieldsOf(schema, false, 'output') : typeOf(json)
}

/** The shapes that a named one stands for, or its fields. */
function membersOf(schema: GenericSchema): string {
  const { anyOf } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'output' }) as JsonSchema
  return anyOf ? typeOf({ anyOf }) : fieldsOf(schema, false, 'output')
}

/** The name of the shape of a body, or its fields. */
function bodyOf(schema: GenericSchema | undefined): string {
  return (schema && getTitle(schema)) ?? fieldsOf(schema)
}

function fieldsOf(
  schema: GenericSchema | undefined,
  mark = true,
  typeMode: 'input' | 'output' = 'input',
): string {
  if (!schema) return ''
  const json = toJsonSchema(schema, { errorMode: 'ignore', typeMode }) as JsonSchema
  const shapes = json.anyOf ?? json.oneOf ?? [json]
  const fields = new Map<string, string>()
  for (const shape of shapes) {
    for (const [name, field] of Object.entries(shape.properties ?? {})) {
      const star = mark && shape.required?.includes(name) ? '*' : ''
      fields.set(name, `\`${name}\`${star} ${typeOf(field)}`)
    }
  }
  return [...fields.values()].join('; ')
}

async function routesPage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  const inFolder = (name: string) => join(folder, name)
  const { config } = readConfig({
    env: {},
    flags: {
      dir: inFolder('data'),
      tlsCaCertFile: inFolder('ca.pem'),
      tlsCaKeyFile: inFolder('ca.key'),
      tlsCertFile: inFolder('cert.pem'),
      tlsKeyFile: inFolder('key.pem'),
    },
  })
  const server = await createServer(config, {
    clock: systemClock,
    log: silentLog,
    version,
    assets: undefined,
  })
  const rows = server.routes.map((route) => {
    const { method, path, access, summary, query } = route
    return row(
      `\`${method} ${path}\``,
      access.replace('_', ' '),
      summary,
      [bodyOf(route.bodyForms ?? route.body), query ? `query: ${fieldsOf(query, false)}` : '']
        .filter(Boolean)
        .join('; '),
      answerOf(route.response, route.media),
      route.statuses.join(', '),
    )
  })
  const shapes = Object.entries(shapesOf(server.routes)).map(([title, schema]) =>
    row(title, membersOf(schema)),
  )
  await server.stop()
  rmSync(folder, { recursive: true })
  return `# HTTP routes

Bodies are JSON. Callers: *public* needs no credentials; *signed in* takes a login token or an API token
(\`Authorization: TOKEN\`, with or without \`Bearer\`, or \`X-API-Token: TOKEN\`); *superuser* takes a superuser's login
token. A superuser on a *signed in* route acts as a proxy user with unlimited QPU time.

Errors have one shape, \`{status, message, code, request_id, data}\`; \`data\` holds refused fields as
\`{"<field>": {code, message, params}}\`. Any route may also answer 401 (no or dead credentials), 403 (wrong kind of
account), 413 (body too large), 429 (rate limit, with \`Retry-After\`), 500, and 507 (disk full; nothing was stored).
A \`*\` marks required fields. The same in a form for programs: \`GET /api/openapi.json\` (OpenAPI 3.1).

| Route | Caller | Purpose | Fields | Answer | Statuses |
|---|---|---|---|---|---|
${rows.join('\n')}

## Shapes of answers

| Shape | Fields |
|---|---|
${shapes.join('\n')}
`
}

function eventsPage(): string {
  const events = EVENTS.map((event) =>
    row(
      `\`${event.type}\``,
      [event.log && 'logged', event.limited && 'rate limited', event.acknowledged && 'acknowledged']
        .filter(Boolean)
        .join(', '),
      fieldsOf(event.payload),
    ),
  )
  const commands = COMMANDS.map((command) => row(`\`${command.entries.type.literal}\``, fieldsOf(command)))
  return `# Events and commands

Messages on the sockets are one frame of UTF-8 JSON each. A driver sends events \`{type, id, ts, payload}\`: \`id\` is
unique per driver, \`ts\` is its own UTC time. *Acknowledged* events are kept on the driver's disk and sent again
until the server has stored them. *Rate limited* ones count against \`--event-rate-limit\`; surplus is dropped.

## Events, driver to server

| Type | Handling | Payload |
|---|---|---|
${events.join('\n')}

## Commands, server to driver

| Type | Fields |
|---|---|
${commands.join('\n')}
`
}

const pages: Record<string, string> = {
  'settings.md': settingsPage(),
  'routes.md': await routesPage(),
  'events.md': eventsPage(),
}
let stale = 0
for (const [name, text] of Object.entries(pages)) {
  const path = join(REFERENCE, name)
  const content = NOTE + text
  if (!process.argv.includes('--check')) writeFileSync(path, content)
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`docs/reference/${name} is stale; run npm run docs`)
    stale += 1
  }
}
process.exit(stale > 0 ? 1 : 0)
