import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { flag, kinds, switchFlag, systemClock } from '../../base/index.ts'
import { BACKUP_FOLDER } from '../../db/index.ts'
import {
  type BackupReport,
  backupName,
  checkBackup,
  makeBackup,
  newestBackup,
  type RetentionPolicy,
  removeOldBackups,
} from '../../db/sqlite/backup/index.ts'
import { backupRetention, type Config } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { surviveFailingOutput } from '../command-line/output.ts'
import { openProgress, type Progress } from '../command-line/progress.ts'
import { DIR_SETTINGS, loadFileConfig } from '../command-line/server-config.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { version } from '../version.ts'
import { backUpEvery } from './backup-every.ts'
import { assertCaExists, caInUse, saveCa } from './ca-files.ts'
import { failOn, printFindings } from './findings.ts'

/** Shorter intervals would read the database all the time. */
const MIN_INTERVAL_MS = 1_000

const verifyCommand = defineCommand({
  summary: 'Check a backup',
  positionals: [{ name: 'FILE', help: 'Backup, as written by svc backup' }],
  async run({ positionals: [file = ''] }) {
    const progress = openProgress()
    progress.report('checking the backup')
    return reportOf(file, await runWith(progress, () => checkBackup(file)))
  },
  print: printReport,
})

export const backupCommand = defineCommand({
  summary: 'Write a checked, consistent copy of the database; works while the server runs',
  positionals: [
    {
      name: 'FILE',
      isOptional: true,
      help: 'New file; if unset, backups/svc-<UTC time>.db in the data folder',
    },
  ],
  flags: {
    every: flag(
      kinds.duration(MIN_INTERVAL_MS),
      'Without FILE: make a backup now and one in each such interval, such as 15m, until stopped',
    ),
    keep: flag(
      backupRetention(),
      'Without FILE: delete older backups; 96:7:4 keeps the last 96, one per day for 7 days and one per week for 4 weeks; 7:4 is short for 1:7:4',
    ),
    withCa: switchFlag(
      kinds.bool(),
      'Also copy the root CA next to the backup; anyone with its key can impersonate the server',
    ),
  },
  settings: DIR_SETTINGS,
  commands: { verify: () => verifyCommand },
  async run({ flags: { every, keep, withCa }, given, positionals: [file] }) {
    for (const [name, value] of Object.entries({ every, keep })) {
      if (value === undefined || file === undefined) continue
      throw new UsageError(`--${name} applies to backups with automatic names; leave FILE out`)
    }
    if (file !== undefined && /^\w+$/.test(file)) {
      throw new UsageError(
        `"${file}" is no command; to write a backup of that name, give it an ending or a folder: ${file}.db or ./${file}`,
      )
    }
    const config = loadFileConfig(given, { creates: file === undefined ? [] : [file] })
    if (withCa) assertCaExists(caInUse(config))
    const folder = join(config.dir, BACKUP_FOLDER)
    if (every === undefined) return backUp({ config, folder, file, keep, withCa })
    surviveFailingOutput()
    const status = await backUpEvery({
      clock: systemClock,
      intervalMs: every,
      newest: existsSync(folder) ? newestBackup(readdirSync(folder)) : undefined,
      async backUp() {
        const result = await backUp({ config, folder, file, keep, withCa })
        if (given['json'] === true) console.log(JSON.stringify(result))
        else printResult(result)
        return result.findings.length > 0 ? 1 : 0
      },
    })
    process.exit(status)
  },
  print: printResult,
})

interface BackupOptions {
  config: Config
  folder: string
  file: string | undefined
  keep: RetentionPolicy | undefined
  withCa: boolean
}

async function backUp({ config, folder, file, keep, withCa }: BackupOptions) {
  const at = systemClock.now()
  const target = file ?? join(folder, backupName(at))
  const progress = openProgress()
  const report = await runWith(progress, () => {
    const createsFolder = file === undefined && existsSync(config.dir)
    const onStage = progress.report
    return makeBackup({ dir: config.dir, target, now: at, version, createsFolder, onStage })
  })
  if (withCa) saveCa(config, target)
  // Old backups stay when the new one has problems.
  const isSound = report.findings.length === 0
  const removed = isSound && file === undefined ? removeOldBackups(folder, keep, systemClock.now()) : []
  return { ...reportOf(target, report), removed }
}

function printResult(result: Awaited<ReturnType<typeof backUp>>): void {
  printReport(result)
  for (const path of result.removed) console.log(`removed ${path}`)
}

/** The result of `work`; the progress line is removed in any case. */
async function runWith<T>(progress: Progress, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    progress.end()
  }
}

function reportOf(file: string, { findings, isOlder }: BackupReport) {
  failOn(findings)
  return { file, bytes: statSync(file).size, from_older_version: isOlder, findings }
}

/** Begins the last line with the file name, for scripts. */
function printReport({ file, bytes, from_older_version, findings }: ReturnType<typeof reportOf>): void {
  const megabytes = (bytes / 1_000_000).toFixed(1)
  printFindings(findings)
  const result =
    findings.length > 0
      ? 'the file is intact, its data have the problems above'
      : from_older_version
        ? 'the file is intact, written by an older version'
        : 'no problems found'
  console.log(`${file}: ${result} (${megabytes} MB)`)
}
