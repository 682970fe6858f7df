import { type ArgsDef, defineCommand } from 'citty'
import { fromTimestamp, parseDuration, systemClock, toTimestamp } from '../../base/index.ts'
import { type ListedAudit, listAudit, readAuditChain, readDatabase } from '../../db/index.ts'
import { type Flags, readFlags, UsageError } from '../command-line/flags.ts'
import { loadConfig } from '../command-line/settings-flags.ts'

const dir: ArgsDef = {
  dir: {
    type: 'string',
    valueHint: 'path',
    description: 'Folder of the database (SVC_DIR, default svc_data)',
  },
}

const listArgs: ArgsDef = {
  act: {
    type: 'string',
    valueHint: 'name',
    description: 'Only this act, or all that begin so: job, job.hold',
  },
  by: {
    type: 'string',
    valueHint: 'actor',
    description: 'Only of this actor: superuser:ID, an address, cli',
  },
  subject: { type: 'string', valueHint: 'id', description: 'Only what was done to this record' },
  since: {
    type: 'string',
    valueHint: 'time',
    description: 'Only from this time on: 2026-01-31, or an age such as 24h',
  },
  limit: { type: 'string', valueHint: 'count', description: 'At most so many, the newest (default 100)' },
  json: { type: 'boolean', description: 'One JSON object a line' },
  ...dir,
}

const listCommand = defineCommand({
  meta: { name: 'list', description: 'Show what operators did, oldest first' },
  args: listArgs,
  run({ rawArgs }) {
    const flags = readFlags('svc audit list', rawArgs, listArgs)
    const filter = {
      act: textOf(flags['act']),
      actor: textOf(flags['by']),
      subject: textOf(flags['subject']),
      since: sinceOf(flags),
      limit: limitOf(flags),
    }
    const { dir: folder } = loadConfig({ dir: flags['dir'] })
    const entries = readDatabase(folder, systemClock.now(), (tx) => listAudit(tx, filter))
    for (const entry of entries) console.log(flags['json'] === true ? JSON.stringify(entry) : shown(entry))
  },
})

const verifyArgs: ArgsDef = {
  head: {
    type: 'string',
    valueHint: 'hash',
    description: 'A head that was printed earlier; fails when its entry is gone',
  },
  ...dir,
}

const verifyCommand = defineCommand({
  meta: { name: 'verify', description: 'Check that no entry was changed or taken out' },
  args: verifyArgs,
  run({ rawArgs }) {
    const flags = readFlags('svc audit verify', rawArgs, verifyArgs)
    const head = textOf(flags['head']) ?? ''
    if (head !== '' && !/^[0-9a-f]{64}$/.test(head)) {
      throw new UsageError(`svc audit verify: --head "${head}": expected 64 hexadecimal digits`)
    }
    const { dir: folder } = loadConfig({ dir: flags['dir'] })
    const chain = readDatabase(folder, systemClock.now(), (tx) => readAuditChain(tx, head))
    if (chain.broken !== undefined) {
      console.log(
        `${folder}: entry ${chain.broken} of the audit log or one before it was changed or taken out`,
      )
      process.exitCode = 1
    } else if (!chain.hasExpected) {
      console.log(`${folder}: the audit log is whole, but it was cut off: no entry has the hash ${head}`)
      process.exitCode = 1
    } else {
      console.log(
        `${folder}: ${chain.entries} entries, none changed or taken out; head ${chain.head || 'none'}`,
      )
    }
  },
})

export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'Read and check the record of what operators did; the server may run' },
  subCommands: { list: listCommand, verify: verifyCommand },
})

function textOf(flag: Flags[string]): string | undefined {
  return typeof flag === 'string' ? flag : undefined
}

function sinceOf(flags: Flags): string | undefined {
  const text = textOf(flags['since'])
  if (text === undefined) return undefined
  const at = /^\d.*[a-z]$/.test(text) ? systemClock.now() - parseDuration(text) : fromTimestamp(text)
  if (at !== undefined) return toTimestamp(at)
  throw new UsageError(
    `svc audit list: --since "${text}": expected a time such as 2026-01-31 or an age such as 24h`,
  )
}

function limitOf(flags: Flags): number {
  const text = textOf(flags['limit']) ?? '100'
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit > 0 && Number.isSafeInteger(limit)) return limit
  throw new UsageError(`svc audit list: --limit "${text}": expected a whole number from 1`)
}

/** An entry on one line; control characters in a detail stay escaped as in JSON. */
function shown({ at, actor, email, act, subject, detail }: ListedAudit): string {
  const who = email === '' ? actor : `${actor} (${email})`
  const text = JSON.stringify(detail)
  return `${at}  ${who}  ${act}  ${subject}${text === '{}' ? '' : `  ${text}`}`
}
