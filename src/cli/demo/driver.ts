import { join } from 'node:path'

/** What a driver of the demo is and whom it connects to. */
export interface DemoDriver {
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

/** Starts a driver in a process of its own, with its files below `folder`. */
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
    // The token travels in the environment: a command line is visible to every user of the machine.
    { env: { ...process.env, SVC_ACCESS_TOKEN: driver.token }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
}
