import { AppError } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import { RELIED_ON } from './bridge/client-options.ts'

const MIN_VERSION = 150_000

/**
 * Refuses a server or a database whose answers would differ from those of other engines.
 * @throws AppError `internal` (`database_unsupported`) with the remedy.
 */
export function assertUsable(connection: Connection): void {
  assertSettings(connection)
  const found = connection.one<{ version: number; encoding: string; collation: string; characters: string }>(
    `SELECT CAST(current_setting('server_version_num') AS bigint) AS version,
       pg_encoding_to_char(encoding) AS encoding, datcollate AS collation, datctype AS characters
     FROM pg_database WHERE datname = current_database()`,
  )
  if (!found) return
  const { version, encoding, collation, characters } = found
  if (version < MIN_VERSION) refuse(`The server has version ${version}; PostgreSQL 15 or newer is needed`)
  if (encoding === 'UTF8' && isPlain(collation) && isPlain(characters)) return
  refuse(
    `The database sorts texts by ${collation} in ${encoding}; create it with ` +
      `CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
}

function assertSettings(connection: Connection): void {
  for (const [name, wanted] of Object.entries(RELIED_ON)) {
    const sql = 'SELECT current_setting($name) AS value, CAST(current_user AS text) AS role'
    const { value, role } = connection.one<{ value: string; role: string }>(sql, { name }) ?? {}
    if (value !== wanted)
      refuse(`Sessions of the role ${role} have ${name} = ${value}, not ${wanted}; use no pooler`)
  }
}

function isPlain(locale: string): boolean {
  return locale === 'C' || locale === 'POSIX'
}

function refuse(message: string): never {
  throw new AppError('internal', message, { reason: 'database_unsupported' })
}
