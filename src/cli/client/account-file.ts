import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Account, accountsPath } from '../../../clients/js/src/accounts.ts'
import { AppError } from '../../base/index.ts'
import { UsageError } from '../command-line/usage-error.ts'

interface AccountFile {
  profiles?: Record<string, Account>
  [key: string]: unknown
}

/**
 * Saves an account under a profile, or removes the profile; returns the path of the file. Only its owner may
 * read it, and it is replaced as a whole. Profiles of other programs and unknown keys stay.
 *
 * @throws UsageError without a home folder; AppError for a file that is no JSON.
 */
export function saveAccount(profile: string, account: Account | undefined): string {
  const path = accountsPath()
  if (path === undefined)
    throw new UsageError('no home folder; set SVC_CLIENT_CONFIG to the file of accounts')
  const file = readFile(path)
  const { [profile]: _, ...others } = file.profiles ?? {}
  const profiles = account ? { ...others, [profile]: account } : others
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}.new`
  writeFileSync(next, `${JSON.stringify({ ...file, profiles }, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
  })
  chmodSync(next, 0o600)
  renameSync(next, path)
  return path
}

function readFile(path: string): AccountFile {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as AccountFile
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return {}
    throw new AppError('invalid', `${path} is no JSON; repair or remove it`, { cause })
  }
}
