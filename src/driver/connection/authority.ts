import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, type Clock, type Log } from '../../base/index.ts'
import { fingerprintMatches, fingerprintOf } from '../../protocol/index.ts'
import { ConnectRefusal, refusalOf } from './refusal.ts'
import { request } from './request.ts'

interface AuthorityOptions {
  /** Address of the server, without trailing slash. */
  svcAddr: string
  /** Where the root CA is kept, absolute. */
  caFile: string
  /** Its SHA-256 fingerprint. */
  pin: string
  clock: Clock
  log: Log
  signal: AbortSignal
}

/**
 * The server's root CA (PEM): from `caFile` when that matches the pin, otherwise downloaded, compared with the pin
 * and kept there. Nothing secret is sent.
 * @throws ConnectRefusal when the server has another CA, or none to give.
 * @throws AppError `unavailable` when the server cannot be reached.
 */
export async function obtainAuthority(options: AuthorityOptions): Promise<string> {
  const { caFile, pin, clock, log, signal } = options
  const kept = await readFile(caFile, 'utf8').catch(() => undefined)
  if (kept !== undefined && matches(kept, pin)) return kept
  if (kept !== undefined) {
    log.warn('kept CA certificate does not match the fingerprint and is replaced', { file: caFile })
  }
  const url = `${options.svcAddr}/api/pub/root-ca.pem`
  const answer = await request(url, { method: 'GET', trust: 'unverified', clock, signal })
  if (answer.status !== 200) throw refusalOf(`download of ${url}`, answer)
  const pem = answer.text
  if (!matches(pem, pin)) {
    throw new ConnectRefusal(
      0,
      `the server at ${options.svcAddr} has ${described(pem)}, but --ca-fingerprint pins ${pin}; ` +
        'the token was not sent',
    )
  }
  await keep(caFile, pem).catch((error: unknown) =>
    log.warn('CA certificate could not be kept', { file: caFile, error }),
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

function described(pem: string): string {
  try {
    return `a root CA with fingerprint ${fingerprintOf(pem)}`
  } catch {
    return 'no readable root CA'
  }
}

async function keep(path: string, pem: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.tmp`, pem)
  // A public certificate, also for other drivers of this machine, whatever the umask.
  await chmod(`${path}.tmp`, 0o644)
  await rename(`${path}.tmp`, path)
}
