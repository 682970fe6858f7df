import { chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { AppError, messageOf } from '../../base/index.ts'
import type { Config } from '../../server/index.ts'

/** Where the two files of the root CA are kept beside a backup. */
const PARTS = [
  { setting: 'tlsCaCertFile', ending: '.ca.pem', mode: 0o644 },
  { setting: 'tlsCaKeyFile', ending: '.ca.key', mode: 0o600 },
] as const

type CaPaths = Pick<Config, 'tlsCaCertFile' | 'tlsCaKeyFile'>

/** Names of the files that `saveCa` writes beside the backup `file`. */
export function caFilesOf(file: string): string[] {
  return PARTS.map(({ ending }) => file + ending)
}

/** @throws AppError `not_found` (`no_ca`) when one of the two files is missing. */
export function mustHaveCa(paths: readonly string[]): void {
  const missing = paths.find((path) => !existsSync(path))
  if (missing === undefined) return
  throw new AppError('not_found', `There is no ${missing}, which --with-ca needs`, { reason: 'no_ca' })
}

/** The paths of the root CA in use. */
export function caInUse(config: CaPaths): string[] {
  return PARTS.map(({ setting }) => config[setting])
}

/** Copies the root CA beside the backup `file`, readable by its owner only. */
export function saveCa(config: CaPaths, file: string): void {
  for (const { setting, ending } of PARTS) {
    const target = file + ending
    copied(config[setting], target, 0o600)
  }
}

/** Puts the root CA beside the backup `file` in use; a replaced one stays as `<path>.before-restore`. */
export function restoreCa(config: CaPaths, file: string): void {
  for (const { setting, ending, mode } of PARTS) {
    const path = config[setting]
    const staged = `${path}.restored`
    copied(file + ending, staged, mode)
    if (existsSync(path)) copied(path, `${path}.before-restore`, 0o600)
    renameSync(staged, path)
  }
}

function copied(from: string, to: string, mode: number): void {
  try {
    rmSync(to, { force: true })
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    chmodSync(to, mode)
  } catch (cause) {
    throw new AppError('internal', `Cannot write ${to}: ${messageOf(cause)}`, {
      reason: 'folder_unusable',
      cause,
    })
  }
}
