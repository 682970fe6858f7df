import { defineCommand } from 'citty'
import { silentLog, systemClock } from '../../base/index.ts'
import { restoreBackup } from '../../db/index.ts'
import { positional, readFlags } from '../command-line/flags.ts'
import { openStages } from '../command-line/progress.ts'
import { loadConfig } from '../command-line/settings-flags.ts'
import { caFilesOf, caInUse, mustHaveCa, restoreCa } from './ca-files.ts'

const args = {
  file: { type: 'positional', required: false, description: 'Backup, as svc backup writes it' },
  'with-ca': {
    type: 'boolean',
    description: 'Restore the root CA beside the backup as well, for a machine that has lost it',
  },
  dir: {
    type: 'string',
    valueHint: 'path',
    description: 'Folder of the database, made when missing (SVC_DIR, default svc_data)',
  },
} as const

export const restoreCommand = defineCommand({
  meta: { name: 'restore', description: 'Put a backup in the place of the database of a stopped server' },
  args,
  async run({ rawArgs }) {
    const flags = readFlags('svc restore', rawArgs, args)
    const file = positional('svc restore', flags, 0, 'FILE')
    const config = loadConfig({ dir: flags['dir'] })
    const withCa = flags['with-ca'] === true
    if (withCa) mustHaveCa(caFilesOf(file))
    const stages = openStages()
    const { replaced, findings } = await restoreBackup({
      file,
      dir: config.dir,
      clock: systemClock,
      log: silentLog,
      onStage: stages.tell,
    }).finally(stages.end)
    if (withCa) restoreCa(config, file)
    console.log(`Restored ${file} into ${config.dir}`)
    if (withCa) console.log(`Restored the root CA at ${caInUse(config).join(' and ')}`)
    if (replaced !== undefined) {
      console.log(`The replaced database is ${replaced}; remove it when you no longer need it`)
    }
    for (const { id, text, rows } of findings) console.log(`${id}: ${text} (${rows.length} rows)`)
    if (findings.length > 0) process.exitCode = 1
    console.log('Next: svc serve. What happened since the backup is gone: jobs, charges, revoked tokens')
  },
})
