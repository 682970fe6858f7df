import { kinds, silentLog, switchFlag, systemClock } from '../../base/index.ts'
import { restoreBackup } from '../../db/sqlite/backup/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { openProgress } from '../command-line/progress.ts'
import { DIR_SETTINGS, loadFileConfig } from '../command-line/server-config.ts'
import { assertCaExists, caFilesOf, caInUse, restoreCa } from './ca-files.ts'
import { failOn, printFindings } from './findings.ts'

export const restoreCommand = defineCommand({
  summary: 'Replace the database of a stopped server by a backup',
  positionals: [{ name: 'FILE', help: 'Backup, as written by svc backup' }],
  flags: {
    withCa: switchFlag(
      kinds.bool(),
      'Also restore the root CA stored next to the backup, for a machine that has lost it',
    ),
  },
  settings: DIR_SETTINGS,
  async run({ flags: { withCa }, given, positionals: [file = ''] }) {
    const config = loadFileConfig(given, { reads: [file, ...(withCa ? caFilesOf(file) : [])] })
    if (withCa) assertCaExists(caFilesOf(file))
    const progress = openProgress()
    const { replaced, findings } = await restoreBackup({
      file,
      dir: config.dir,
      clock: systemClock,
      log: silentLog,
      onStage: progress.report,
    }).finally(progress.end)
    if (withCa) restoreCa(config, file)
    failOn(findings)
    const caFiles = withCa ? caInUse(config) : []
    return { file, dir: config.dir, ca_files: caFiles, replaced: replaced ?? null, findings }
  },
  print({ file, dir, ca_files, replaced, findings }) {
    console.log(`Restored ${file} into ${dir}`)
    if (ca_files.length > 0) console.log(`Restored the root CA at ${ca_files.join(' and ')}`)
    if (replaced !== null) {
      console.log(`The replaced database is ${replaced}; remove it when you no longer need it`)
    }
    printFindings(findings)
    console.log('Next: svc serve. Jobs, charges and token revocations since the backup are lost')
  },
})
