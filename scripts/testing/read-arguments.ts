import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Ends the command with status 2 and a sentence instead of a stack trace. */
export function fail(problem: string): never {
  console.error(problem)
  process.exit(2)
}

/**
 * The flags and arguments of a command of this repository. `--help` prints `usage`, and what the command
 * does not take ends it with status 2.
 */
export function readArguments<const C extends ParseArgsConfig>(
  usage: string,
  config: C,
): ReturnType<typeof parseArgs<C>> {
  if (process.argv.slice(2).includes('--help')) {
    console.log(usage.trimEnd())
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The rest of the message is about arguments that begin with a hyphen.
    fail(`${error.message.split('. ')[0]}\n\n${usage.trimEnd()}`)
  }
}
