import { readFileSync } from 'node:fs'
import { AppError, reasonOf } from '../../base/index.ts'
import type { ServerAddress } from '../../db/index.ts'
import type { Config } from './settings.ts'

const DEFAULT_PORT = 5_432

/**
 * The server that keeps the database; undefined for one in a file. Reads the files with its password and
 * certificates.
 * @throws AppError `invalid`, reason `bad_config`, when one of them cannot be read.
 */
export function databaseServer(config: Config): ServerAddress | undefined {
  const { database, databasePasswordFile, databaseRootCert } = config
  if (database === '') return undefined
  const { hostname, port, pathname, username } = databaseUrlOf(database)
  const password = readSetting('--database-password-file', databasePasswordFile)?.split('\n')[0]
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORT : Number(port),
    database: decodeURIComponent(pathname.slice(1)),
    user: decodeURIComponent(username),
    password,
    rootCertificates: readSetting('--database-root-cert', databaseRootCert),
  }
}

/** The refusal of what works on the file of a database, which a server of PostgreSQL keeps. */
export function notWithPostgres(): AppError {
  return new AppError(
    'conflict',
    'PostgreSQL keeps this database; back it up and restore it with pg_dump and pg_restore or the backups of its provider',
    { reason: 'not_with_postgres' },
  )
}

/**
 * The parts of the address of a database.
 * @throws AppError `invalid`, reason `bad_config`, when it is none; the message does not repeat it.
 */
export function databaseUrlOf(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new AppError('invalid', '--database: bad value; expected host and port as in db.example.org:5432', {
      reason: 'bad_config',
    })
  }
}

function readSetting(flag: string, path: string): string | undefined {
  if (path === '') return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AppError('invalid', `${flag}: cannot read ${path}; ${reasonOf(cause)}`, {
      reason: 'bad_config',
      cause,
    })
  }
}
