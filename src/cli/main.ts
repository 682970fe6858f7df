#!/usr/bin/env bun
import { basename } from 'node:path'
import { type CommandDef, defineCommand, renderUsage, runCommand } from 'citty'
import { messageOf } from '../base/index.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { driverCommand } from './driver.ts'
import { exportCommand } from './export.ts'
import { exitStatus, UsageError } from './flags.ts'
import { importCommand } from './import.ts'
import { serveCommand } from './serve.ts'
import { superuserCommand } from './superuser.ts'
import { version } from './version.ts'

const MINIMUM_BUN = '1.4.0'

const svc = defineCommand({
  meta: { name: 'svc', version, description: 'Quantum job control service' },
  subCommands: {
    serve: serveCommand,
    driver: driverCommand,
    demo: demoCommand,
    superuser: superuserCommand,
    doctor: doctorCommand,
    export: exportCommand,
    import: importCommand,
  },
})

/** Name under which the program was called: a symlink `svc-driver` means `svc driver`. */
function calledAs(): string {
  return basename(process.argv0)
}

async function usage(root: CommandDef, words: string[]): Promise<string> {
  let command = root
  let path = 'svc'
  let parentName = ''
  for (const word of words) {
    const subCommands = (await (typeof command.subCommands === 'function'
      ? command.subCommands()
      : command.subCommands)) as Record<string, CommandDef> | undefined
    const next = subCommands?.[word]
    if (!next) break
    parentName = path
    path = `${path} ${word}`
    command = next
  }
  return renderUsage(command, parentName ? { meta: { name: parentName, version } } : undefined)
}

async function main(): Promise<void> {
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

main().catch((error: unknown) => {
  const isUnknownCommand = error instanceof Error && error.name === 'CLIError'
  process.stderr.write(`${messageOf(error)}\n`)
  process.exit(isUnknownCommand ? 2 : exitStatus(error))
})
