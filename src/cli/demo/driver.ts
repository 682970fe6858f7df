import { join } from 'node:path'
import type { Operation } from '../../protocol/index.ts'

/** A driver of the demo and its credentials. */
interface DemoDriver {
  /** Name of the QPU or driver, and of the folder of its files. */
  name: string
  operation: Operation
  device: string
  /** `key=value` each. */
  options?: string[]
  token: string
  fingerprint: string
  /** If absent, a folder below that of the demo. */
  dataDir?: string
}

/** This program's own command line, compiled or run from source. */
function ownProgram(): string[] {
  return Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, Bun.main]
}

/** Starts a driver in a separate process, with its files below `folder`. */
export function startDemoDriver(folder: string, url: string, driver: DemoDriver): Bun.Subprocess {
  const own = join(folder, 'drivers', driver.name)
  const started = Bun.spawn(
    [
      ...ownProgram(),
      'driver',
      'start',
      '--operation',
      driver.operation,
      '--device',
      driver.device,
      '--svc-addr',
      url,
      '--ca-fingerprint',
      driver.fingerprint,
      '--log-level',
      'warn',
      '--ca-file',
      join(own, 'svc.ca.pem'),
      '--data-dir',
      driver.dataDir ?? join(own, 'data'),
      ...(driver.options ?? []).flatMap((option) => ['-o', option]),
    ],
    // The token is passed in the environment, because all users of the machine can see a command line.
    { env: { ...process.env, SVC_ACCESS_TOKEN: driver.token }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  // A demo that fails or is interrupted leaves no driver behind, which would write over the next prompt.
  process.on('exit', () => started.kill('SIGKILL'))
  return started
}
