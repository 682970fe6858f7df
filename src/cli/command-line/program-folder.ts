import { basename, dirname } from 'node:path'

/** The folder that contains `svc-driver` as it was started, before links are followed; empty when unknown. */
export function programFolder(): string {
  const program = Bun.which(process.argv0)
  return program === null || basename(program) !== 'svc-driver' ? '' : dirname(program)
}
