import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, type Clock, type Log } from '../../base/index.ts'
import { fingerprintMatches, fingerprintOf } from '../../protocol/index.ts'
import { ConnectRefusal, refusalOf } from './refusal.ts'
import { request } from './request.ts'

interface AuthorityOptions {
  /** Address of the server, without trailing slash. */
  svcAddr: string
  /** File of the root CA, absolute. */
  caFile: string
  /** Its SHA-256 fingerprint. */
  pin: string
  /** Time for a download; 10 s if unset. */
  timeoutMs?: number | undefined
  clock: Clock
  log: Log
  signal: AbortSignal
}

/**
 * The server's root CA (PEM): read from `caFile` if that matches the pin, otherwise downloaded, compared with
 * the pin and saved there. No secret is sent.
 * @throws ConnectRefusal when the server has a different CA or provides none.
 * @throws AppError `unavailable` when the server cannot be reached.
 */
export async function obtainAuthority(options: AuthorityOptions): Promise<string> {
  const { caFile, pin, timeoutMs, clock, log, signal } = options
  const stored = await readFile(caFile, 'utf8').catch(() => undefined)
  if (stored !== undefined && matches(stored, pin)) return stored
  if (stored !== undefined) {
    log.warn('the stored CA certificate does not match the fingerprint and is replaced', { file: caFile })
  }
  const url = `${options.svcAddr}/api/pub/root-ca.pem`
  const response = await request(url, { method: 'GET', trust: 'unverified', timeoutMs, clock, signal })
  if (response.status !== 200) throw refusalOf(`download of ${url}`, response)
  const pem = response.text
  if (!matches(pem, pin)) {
    throw new ConnectRefusal(
      0,
      `the server at ${options.svcAddr} has ${describeAuthority(pem)}, but --ca-fingerprint pins ${pin}; ` +
        'the token was not sent',
    )
  }
  await save(caFile, pem).catch((error: unknown) =>
    log.warn('the CA certificate could not be saved', { file: caFile, error }),
  )
  return pem
}

function matches(pem: string, pin: string): boolean {
  try {
    return fingerprintMatches(pem, pin)
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

function describeAuthority(pem: string): string {
  try {
    return `a root CA with fingerprint ${fingerprintOf(pem)}`
  } catch {
    return 'no readable root CA'
  }
}

async function save(path: string, pem: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.tmp`, pem)
  // Other drivers on this machine read the public certificate too, whatever the umask.
  await chmod(`${path}.tmp`, 0o644)
  await rename(`${path}.tmp`, path)
}
