#!/usr/bin/env bun
// Must be the first import: in the executable, the certificate library would otherwise run before it.
import 'reflect-metadata'
import { feature } from 'bun:bundle'
import { basename } from 'node:path'
import { armFailpoint, messageOf } from '../base/index.ts'
import { defineCommand, defineGroup } from './command-line/command.ts'
import { COMPLETE, complete } from './command-line/complete.ts'
import { runCommand } from './command-line/run-command.ts'
import { exitStatus, UsageError } from './command-line/usage-error.ts'
import { version } from './version.ts'

const MINIMUM_BUN = '1.4.0'

const versionCommand = defineCommand({
  summary: 'Print the version',
  run: () => ({ version }),
  print: (document) => console.log(document.version),
})

// Loaded when named: a driver does not need the server's code, nor the server the driver's.
const svc = defineGroup('Quantum job control service', {
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
  completion: async () => (await import('./completion.ts')).completionCommand,
  licenses: async () => (await import('./licenses.ts')).licensesCommand,
  version: () => versionCommand,
  reader: async () => (await import('./serve/reader.ts')).readerCommand,
})

/** The words of the command line; a symbolic link named `svc-driver` stands for `svc driver`. */
function commandWords(): string[] {
  const words = process.argv.slice(2)
  if (basename(process.argv0) !== 'svc-driver') return words
  return words[0] === COMPLETE ? [COMPLETE, 'driver', ...words.slice(1)] : ['driver', ...words]
}

async function main(): Promise<void> {
  if (feature('FAILPOINTS')) armFailpoint(process.env['SVC_FAILPOINT'])
  if (Bun.semver.order(Bun.version, MINIMUM_BUN) < 0) {
    throw new UsageError(`svc needs Bun ${MINIMUM_BUN} or newer, this is ${Bun.version}; run npm ci`)
  }
  const words = commandWords()
  if (words[0] === COMPLETE) return printCompletions(words.slice(1))
  await runCommand(svc, 'svc', words[0] === '--version' ? ['version'] : words)
}

/** One line each: the word, a tab, and what it means. */
async function printCompletions(words: readonly string[]): Promise<void> {
  for (const { word, help } of await complete(svc, words)) console.log(`${word}\t${help}`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exit(exitStatus(error))
})
