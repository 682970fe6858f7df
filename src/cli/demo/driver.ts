import { join } from 'node:path'

/** A driver of the demo and its credentials. */
interface DemoDriver {
  /** Of the QPU or driver; also the folder of its files. */
  name: string
  operation: 'process' | 'monitor'
  device: string
  /** `key=value` each. */
  options?: string[]
  token: string
  fingerprint: string
}

/** This program's own command line, compiled or run from source. */
function ownProgram(): string[] {
  return Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, Bun.main]
}

/** Starts a driver in a separate process, with its files below `folder`. */
export function startDemoDriver(folder: string, url: string, driver: DemoDriver): Bun.Subprocess {
  const own = join(folder, 'drivers', driver.name)
  return Bun.spawn(
    [
      ...ownProgram(),
      ...['driver', 'start', '--operation', driver.operation, '--device', driver.device],
      ...['--svc-addr', url, '--ca-fingerprint', driver.fingerprint, '--log-level', 'warn'],
      ...['--ca-file', join(own, 'svc.ca.pem'), '--data-dir', join(own, 'data')],
      ...(driver.options ?? []).flatMap((option) => ['-o', option]),
    ],
    // The token is passed in the environment, because all users of the machine can see a command line.
    { env: { ...process.env, SVC_ACCESS_TOKEN: driver.token }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
}
