import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { badConfig } from './bad-config.ts'
import { SETTINGS } from './settings.ts'

/** A value of the config file and where it stands. */
interface ConfigFileEntry {
  value: unknown
  /** File, line and key, for errors. */
  place: string
}

/**
 * Values by setting name. One parser reads YAML and JSON, because JSON is YAML, and it knows the line of each
 * key.
 * @throws AppError `invalid` for an unreadable file and for an unknown key.
 */
export function readConfigFile({ path, text }: { path: string; text: string }): Map<string, ConfigFileEntry> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [error] = document.errors
  if (error) throw badConfig(`${path}: not readable as YAML or JSON; ${error.message.split(':\n')[0]}`)
  const { contents } = document
  const entries = new Map<string, ConfigFileEntry>()
  if (contents === null) return entries
  if (!isMap(contents)) throw badConfig(`${path}: expected keys with values such as serverPort: 8090`)
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const start = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    const line = `${path}, line ${lines.linePos(start).line}`
    if (!Object.hasOwn(SETTINGS, name)) throw badConfig(`${line}: unknown key ${name}; see svc serve --help`)
    entries.set(name, { value: isNode(value) ? value.toJS(document) : value, place: `${line}: ${name}` })
  }
  return entries
}
