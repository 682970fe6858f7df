#!/usr/bin/env bun
// Must be the first import: in the executable, the certificate library would otherwise run before it.
import 'reflect-metadata'
import { feature } from 'bun:bundle'
import { basename } from 'node:path'
import { armFailpoint, messageOf } from '../base/index.ts'
import { COMPLETE, complete } from './command-line/complete.ts'
import { endOnUncaughtErrors, printByWriteOut } from './command-line/output.ts'
import { runCommand } from './command-line/run-command.ts'
import { exitStatus, UsageError } from './command-line/usage-error.ts'
import { svc } from './commands.ts'

const MINIMUM_BUN = '1.4.0'

/** The words of the command line; a symbolic link named `svc-driver` stands for `svc driver`. */
function commandWords(): string[] {
  const words = process.argv.slice(2)
  if (basename(process.argv0) !== 'svc-driver') return words
  return words[0] === COMPLETE ? [COMPLETE, 'driver', ...words.slice(1)] : ['driver', ...words]
}

async function main(): Promise<void> {
  endOnUncaughtErrors()
  printByWriteOut()
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
