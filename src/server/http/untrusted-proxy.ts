import type { Log } from '../../base/index.ts'
import type { RequestOrigin } from './address.ts'

/** Any client may send the header: the log has a line for each of the first addresses only. */
const MAX_WARNINGS = 10

/**
 * Warns once for each address whose requests name the client of a proxy although it is not trusted: behind a
 * proxy that the settings forget, all users have one address, one limit and one line in the audit log.
 */
export function proxyWarning(log: Log): (request: Request, origin: RequestOrigin) => void {
  const warned = new Set<string>()
  return ({ headers }, { address, isProxied }) => {
    if (isProxied || warned.size >= MAX_WARNINGS || warned.has(address)) return
    const header = ['x-forwarded-for', 'forwarded'].find((name) => headers.has(name))
    if (header === undefined) return
    warned.add(address)
    log.warn('a proxy that is not trusted names its clients, which is ignored', {
      header,
      address,
      remedy: 'if it is your proxy, name it with --trusted-proxies',
    })
  }
}
