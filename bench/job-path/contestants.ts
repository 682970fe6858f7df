import { basename, resolve } from 'node:path'
import { SVC } from '../../tests/support/executable/service.ts'
import type { StartContestant } from './contestant.ts'
import { nats } from './nats.ts'
import { postgresql } from './postgresql.ts'
import { redis } from './redis.ts'
import { svc } from './svc.ts'

/** The peers, and the program that each needs on the PATH. */
const PEERS: Record<string, { program: string; start: StartContestant }> = {
  'PostgreSQL, SKIP LOCKED': { program: 'postgres', start: postgresql },
  'Redis stream, appendfsync always': { program: 'redis-server', start: redis },
  'NATS JetStream, sync_interval always': { program: 'nats-server', start: nats },
}

/**
 * Takes the executables out of the arguments of this process and returns them as contestants, or else the
 * built one, followed by the peers that this machine has.
 */
export function readContestants(): Map<string, StartContestant> {
  const executables = process.argv
    .slice(2)
    .filter((word, at, words) => !`${words[at - 1]}${word}`.includes('--'))
  process.argv = process.argv.filter((word) => !executables.includes(word))
  const paths = executables.length > 0 ? executables.map((path) => resolve(path)) : [SVC]
  const found = new Map<string, StartContestant>(paths.map((path) => [basename(path), svc(path)]))
  for (const [name, { program, start }] of Object.entries(PEERS)) {
    if (Bun.which(program)) found.set(name, start)
    else console.log(`${name}: left out, because ${program} is not on the PATH`)
  }
  return found
}
