/** Why something cannot be tried on this machine, or undefined. */
type Why = string | undefined

/**
 * The prerequisites of a test of the environment: Linux, root, and `programs` as the build machine has them.
 */
export function whyNot(...programs: string[]): Why {
  if (process.platform !== 'linux') return 'it takes Linux'
  if (process.getuid?.() !== 0) return 'it takes root'
  return absentOf(...programs)
}

/** The prerequisites of a test that only needs `programs`. */
export function absentOf(...programs: string[]): Why {
  const absent = programs.find((program) => !Bun.which(program))
  return absent && `it takes the program ${absent}`
}

/**
 * Whether to skip for `reason`, which is printed; never on the build machine, where everything has to run.
 */
export function skips(title: string, reason: Why): boolean {
  if (reason === undefined) return false
  if (process.env['CI'] === 'true') throw new Error(`${title}: ${reason}`)
  process.stderr.write(`skipped: ${title}: ${reason}\n`)
  return true
}
