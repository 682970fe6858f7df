import * as v from 'valibot'

export const setting = v.object({
  name: v.string(),
  flag: v.string(),
  variable: v.string(),
  group: v.string(),
  help: v.string(),
  value: v.string(),
  default: v.string(),
  source: v.picklist(['flag', 'environment', 'file', 'default']),
  place: v.string(),
  reloadable: v.boolean(),
  secret: v.boolean(),
  next_value: v.nullable(v.string()),
})
export type Setting = v.InferOutput<typeof setting>
export const settings = v.object({ settings: v.array(setting) })
export const reloaded = v.object({ changed: v.array(v.string()) })

export const task = v.object({
  id: v.string(),
  name: v.string(),
  summary: v.string(),
  running: v.boolean(),
  last_run: v.string(),
  duration_ms: v.nullable(v.number()),
  error: v.string(),
  next_run: v.string(),
})
export type Task = v.InferOutput<typeof task>
export const tasks = v.object({ tasks: v.array(task) })

/** A config file with the settings that were given; secrets are left out. */
export function toYaml(all: readonly Setting[]): string {
  const lines = all
    .filter(({ source, value }) => source !== 'default' && value !== '')
    .map(({ name, value, secret }) => (secret ? `# ${name}: secret` : `${name}: ${yamlValue(value)}`))
  return lines.length === 0 ? '# Every setting has its default.\n' : `${lines.join('\n')}\n`
}

/** A text as YAML: plain where it reads the same, otherwise quoted as in JSON. */
function yamlValue(text: string): string {
  if (/^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) || text === 'true' || text === 'false') return text
  const isPlain =
    /^[A-Za-z/.][\w/.@-]*$/.test(text) && !/^(null|true|false|yes|no|on|off|y|n|\.inf|\.nan|~)$/i.test(text)
  return isPlain ? text : JSON.stringify(text)
}
