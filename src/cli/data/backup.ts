import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { systemClock } from '../../base/index.ts'
import {
  type BackupReport,
  backupName,
  checkBackup,
  planRemoval,
  type RetentionPolicy,
  writeBackup,
} from '../../db/index.ts'
import { readFlags, UsageError } from '../command-line/flags.ts'
import { openStages, type Stages } from '../command-line/progress.ts'
import { loadConfig } from '../command-line/settings-flags.ts'
import { caFilesOf, caInUse, mustHaveCa, saveCa } from './ca-files.ts'

const args = {
  file: {
    type: 'positional',
    required: false,
    description:
      'New file (default backups/svc-<UTC time>.db in the folder of the database), or: verify FILE',
  },
  checked: { type: 'positional', required: false, description: 'After verify: the backup to check' },
  keep: {
    type: 'string',
    valueHint: 'days:weeks',
    description: 'Without FILE: keep only one backup a day and one a week, such as 7:4 (default all)',
  },
  'with-ca': {
    type: 'boolean',
    description: 'Copy the root CA beside the backup; whoever has its key can pose as the server',
  },
  dir: {
    type: 'string',
    valueHint: 'path',
    description: 'Folder of the database (SVC_DIR, default svc_data)',
  },
} as const

export const backupCommand = defineCommand({
  meta: {
    name: 'backup',
    description: 'Write a checked copy of the database, as of one moment; the server may run',
  },
  args,
  run({ rawArgs }) {
    const flags = readFlags('svc backup', rawArgs, args)
    const [file, checked] = flags._
    if (file === 'verify') return verify(checked)
    if (checked !== undefined) throw new UsageError(`svc backup: unexpected argument ${checked}`)
    const keep = readKeep(flags['keep'])
    if (keep && file !== undefined) {
      throw new UsageError('svc backup: --keep is for backups with automatic names; leave FILE out')
    }
    const config = loadConfig({ dir: flags['dir'] })
    const withCa = flags['with-ca'] === true
    if (withCa) mustHaveCa(caInUse(config))
    const folder = join(config.dir, 'backups')
    const target = file ?? join(folder, backupName(systemClock.now()))
    if (file === undefined && existsSync(config.dir)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stages = openStages()
    const report = attempt(stages, () => writeBackup(config.dir, target, stages.tell))
    if (withCa) saveCa(config, target)
    tell(target, report)
    // Old backups stay when the new one is not as good as they may be.
    if (file === undefined && report.findings.length === 0) tidy(folder, keep)
  },
})

function verify(file: string | undefined): void {
  if (file === undefined) throw new UsageError('svc backup verify: missing FILE; see svc backup --help')
  const stages = openStages()
  stages.tell('checking the backup')
  tell(
    file,
    attempt(stages, () => checkBackup(file)),
  )
}

/** The result of `work`; the stages end with it, however that goes. */
function attempt<T>(stages: Stages, work: () => T): T {
  try {
    return work()
  } finally {
    stages.end()
  }
}

/** One line that scripts can take the name from; findings make the exit status 1. */
function tell(file: string, { findings, isOlder }: BackupReport): void {
  const megabytes = (statSync(file).size / 1_000_000).toFixed(1)
  if (findings.length === 0) {
    const checked = isOlder ? 'file is sound, an older version wrote it' : 'no problems found'
    console.log(`${file}: ${checked} (${megabytes} MB)`)
    return
  }
  for (const { id, text, rows } of findings) console.log(`${id}: ${text} (${rows.length} rows)`)
  console.log(`${file}: a sound file whose data have the problems above (${megabytes} MB)`)
  process.exitCode = 1
}

function readKeep(text: string | boolean | string[] | undefined): RetentionPolicy | undefined {
  if (text === undefined) return undefined
  const [, days, weeks] = /^(\d{1,4}):(\d{1,4})$/.exec(String(text)) ?? []
  if (days === undefined || weeks === undefined) {
    throw new UsageError(`svc backup: --keep "${text}": expected days:weeks, such as 7:4`)
  }
  return { days: Number(days), weeks: Number(weeks) }
}

/** A day without a write: whatever made the file was killed. */
const ABANDONED_AFTER_MS = 86_400_000

function tidy(folder: string, keep: RetentionPolicy | undefined): void {
  const names = readdirSync(folder)
  for (const name of names.filter((each) => each.endsWith('.partial'))) {
    const path = join(folder, name)
    if (systemClock.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true })
  }
  for (const name of keep ? planRemoval(names, keep) : []) {
    const path = join(folder, name)
    for (const each of [path, ...caFilesOf(path)]) rmSync(each, { force: true })
    console.log(`removed ${path}`)
  }
}
