import { type ArgsDef, type CommandDef, defineCommand } from 'citty'
import { silentLog, systemClock } from '../base/index.ts'
import { type Database, listSuperusers, openDatabase, removeSuperuser, saveSuperuser } from '../db/index.ts'
import { checkPassword, Passwords } from '../server/index.ts'
import { positional, readFlags, UsageError } from './command-line/flags.ts'
import { loadConfig } from './command-line/settings-flags.ts'

const dirArgs: ArgsDef = {
  dir: { type: 'string', valueHint: 'path', description: 'Folder of the database (SVC_DIR)' },
}
const email: ArgsDef = { email: { type: 'positional', description: 'E-mail address' } }
const password: ArgsDef = {
  password: {
    type: 'positional',
    required: false,
    description: 'Password; read from standard input when absent',
  },
}

async function withDatabase(dir: unknown, work: (db: Database) => Promise<void>): Promise<void> {
  const config = loadConfig({ dir: typeof dir === 'string' ? dir : undefined })
  const db = await openDatabase({ dir: config.dir, clock: systemClock, log: silentLog })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

async function readPassword(given: string | undefined): Promise<string> {
  const text = given ?? (await Bun.stdin.text()).split('\n')[0] ?? ''
  if (text === '') throw new UsageError('no password; give it as the second word or on standard input')
  checkPassword(text)
  return text
}

function saveCommand(mode: 'create' | 'update' | 'upsert', description: string): CommandDef {
  const args = { ...email, ...password, ...dirArgs }
  const command = `svc superuser ${mode}`
  return defineCommand({
    meta: { name: mode, description },
    args,
    async run({ rawArgs }) {
      const flags = readFlags(command, rawArgs, args)
      const address = positional(command, flags, 0, 'EMAIL').toLowerCase()
      if (!/^[^@\s]+@[^@\s]+$/.test(address)) {
        throw new UsageError(`${command}: "${address}" is not an e-mail address`)
      }
      const passwordHash = await new Passwords().hash(await readPassword(flags._[1]))
      await withDatabase(flags['dir'], async (db) => {
        await saveSuperuser(db, { email: address, passwordHash, mode, actor: 'cli' })
      })
      console.log(`Superuser ${address} saved`)
    },
  })
}

const removeArgs = { ...email, ...dirArgs }
const removeCommand = defineCommand({
  meta: { name: 'delete', description: 'Delete a superuser; the last one stays' },
  args: removeArgs,
  async run({ rawArgs }) {
    const flags = readFlags('svc superuser delete', rawArgs, removeArgs)
    const address = positional('svc superuser delete', flags, 0, 'EMAIL').toLowerCase()
    await withDatabase(flags['dir'], (db) => removeSuperuser(db, { email: address, actor: 'cli' }))
    console.log(`Superuser ${address} deleted`)
  },
})

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List superusers' },
  args: dirArgs,
  async run({ rawArgs }) {
    const flags = readFlags('svc superuser list', rawArgs, dirArgs)
    await withDatabase(flags['dir'], async (db) => {
      for (const superuser of await listSuperusers(db)) console.log(superuser.email)
    })
  },
})

export const superuserCommand = defineCommand({
  meta: { name: 'superuser', description: 'Manage superusers (while the server is stopped)' },
  subCommands: {
    upsert: saveCommand('upsert', 'Create a superuser or give an existing one a new password'),
    create: saveCommand('create', 'Create a superuser'),
    update: saveCommand('update', 'Give a superuser a new password'),
    delete: removeCommand,
    list: listCommand,
  },
})
