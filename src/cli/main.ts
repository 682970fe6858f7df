#!/usr/bin/env bun
// Before everything: in the executable the certificate library, loaded late, would run ahead of it.
import 'reflect-metadata'
import { feature } from 'bun:bundle'
import { basename } from 'node:path'
import { type CommandDef, defineCommand, type Resolvable, renderUsage, runCommand } from 'citty'
import { armFailpoint, messageOf } from '../base/index.ts'
import { exitStatus, UsageError } from './command-line/flags.ts'
import { version } from './version.ts'

const MINIMUM_BUN = '1.4.0'

const svc = defineCommand({
  meta: { name: 'svc', version, description: 'Quantum job control service' },
  // Loaded when named: a driver has no use for the server's code, nor the server for the driver's.
  subCommands: {
    serve: async () => (await import('./serve/serve.ts')).serveCommand,
    driver: async () => (await import('./driver.ts')).driverCommand,
    demo: async () => (await import('./demo/demo.ts')).demoCommand,
    superuser: async () => (await import('./superuser.ts')).superuserCommand,
    audit: async () => (await import('./data/audit.ts')).auditCommand,
    doctor: async () => (await import('./data/doctor.ts')).doctorCommand,
    backup: async () => (await import('./data/backup.ts')).backupCommand,
    restore: async () => (await import('./data/restore.ts')).restoreCommand,
    export: async () => (await import('./data/export.ts')).exportCommand,
    import: async () => (await import('./data/import.ts')).importCommand,
    simulate: async () => (await import('./simulate/simulate.ts')).simulateCommand,
  },
})

/** Name under which the program was called: a symlink `svc-driver` means `svc driver`. */
function calledAs(): string {
  return basename(process.argv0)
}

/** What citty takes as a value, a promise of it or a function that makes it. */
async function resolved<T>(value: Resolvable<T>): Promise<T> {
  return value instanceof Function ? value() : value
}

async function usage(root: CommandDef, words: string[]): Promise<string> {
  let command = root
  let path = 'svc'
  let parentName = ''
  for (const word of words) {
    const subCommands = await resolved(command.subCommands)
    const next = await resolved(subCommands?.[word])
    if (!next) break
    parentName = path
    path = `${path} ${word}`
    command = next
  }
  return renderUsage(command, parentName ? { meta: { name: parentName, version } } : undefined)
}

async function main(): Promise<void> {
  if (feature('FAILPOINTS')) armFailpoint(process.env['SVC_FAILPOINT'])
  if (Bun.semver.order(Bun.version, MINIMUM_BUN) < 0) {
    throw new UsageError(`svc needs Bun ${MINIMUM_BUN} or newer, this is ${Bun.version}; run npm ci`)
  }
  const args = process.argv.slice(2)
  const rawArgs = calledAs() === 'svc-driver' ? ['driver', ...args] : args
  if (rawArgs.includes('--help') || rawArgs.includes('-h') || rawArgs.length === 0) {
    const text = await usage(svc as CommandDef, rawArgs)
    console.log(process.stdout.isTTY ? text : Bun.stripANSI(text))
  } else if (rawArgs[0] === '--version' || rawArgs[0] === 'version') {
    console.log(version)
  } else {
    await runCommand(svc as CommandDef, { rawArgs })
  }
}

/** citty says only that a command is missing or unknown, in colours even where nobody sees them. */
function readable(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'CLIError') return error
  const what = Bun.stripANSI(error.message).replace(/\.$/, '')
  return new UsageError(`svc: ${what.charAt(0).toLowerCase()}${what.slice(1)}; see svc --help`)
}

main().catch((thrown: unknown) => {
  const error = readable(thrown)
  process.stderr.write(`${messageOf(error)}\n`)
  process.exit(exitStatus(error))
})
