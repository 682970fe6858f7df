import { chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { AppError, reasonOf } from '../../base/index.ts'
import type { Config } from '../../server/index.ts'

/** The two files of the root CA and their names next to a backup. */
const PARTS = [
  { setting: 'tlsCaCertFile', ending: '.ca.pem', mode: 0o644 },
  { setting: 'tlsCaKeyFile', ending: '.ca.key', mode: 0o600 },
] as const

type CaPaths = Pick<Config, 'tlsCaCertFile' | 'tlsCaKeyFile'>

/** Names of the files that `saveCa` writes next to the backup `file`. */
export function caFilesOf(file: string): string[] {
  return PARTS.map(({ ending }) => file + ending)
}

/** @throws AppError `not_found` (`no_ca`) when one of the two files is missing. */
export function assertCaExists(paths: readonly string[]): void {
  const missing = paths.find((path) => !existsSync(path))
  if (missing === undefined) return
  throw new AppError('not_found', `${missing} does not exist, but --with-ca needs it`, { reason: 'no_ca' })
}

/** The paths of the root CA in use. */
export function caInUse(config: CaPaths): string[] {
  return PARTS.map(({ setting }) => config[setting])
}

/** Copies the root CA next to the backup `file`, readable by its owner only. */
export function saveCa(config: CaPaths, file: string): void {
  for (const { setting, ending } of PARTS) {
    const target = file + ending
    copyTo(config[setting], target, 0o600)
  }
}

/**
 * Replaces the root CA by the one next to the backup `file`; the old one stays as `<path>.before-restore`.
 */
export function restoreCa(config: CaPaths, file: string): void {
  for (const { setting, ending, mode } of PARTS) {
    const path = config[setting]
    const staged = `${path}.restored`
    copyTo(file + ending, staged, mode)
    if (existsSync(path)) copyTo(path, `${path}.before-restore`, 0o600)
    renameSync(staged, path)
  }
}

function copyTo(from: string, to: string, mode: number): void {
  try {
    rmSync(to, { force: true })
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    chmodSync(to, mode)
  } catch (cause) {
    throw new AppError('internal', `Cannot write ${to}: ${reasonOf(cause)}`, {
      reason: 'folder_unusable',
      cause,
    })
  }
}
