import type { Log, LogFields, LogLevel } from '../../base/index.ts'
import type { FromHost } from '../messages/host-messages.ts'

/** Log of the device: sends every line to the driver, which writes and redacts it like its own. */
export function relayLog(send: (message: FromHost) => void, subject = ''): Log {
  const write =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      send({
        kind: 'log',
        level,
        message: subject ? `${subject}: ${message}` : message,
        fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)])),
      })
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (name) => relayLog(send, subject ? `${subject}.${name}` : name),
  }
}

/** Converts values to text that JSON would lose (errors) or reject (big integers, cycles). */
function plain(value: unknown): unknown {
  if (value instanceof Error) return value.stack ?? `${value.name}: ${value.message}`
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return String(value)
  }
}
