import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { version } from '../../src/cli/version.ts'
import { createServer, readConfig, type Server } from '../../src/server/index.ts'

/** The routes that a server with default settings declares; documents and clients are made of them. */
export async function declaredRoutes(): Promise<Server['routes']> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-routes-'))
  const inFolder = (name: string) => join(folder, name)
  const effective = readConfig({
    env: {},
    flags: {
      dir: inFolder('data'),
      tlsCaCertFile: inFolder('ca.pem'),
      tlsCaKeyFile: inFolder('ca.key'),
      tlsCertFile: inFolder('cert.pem'),
      tlsKeyFile: inFolder('key.pem'),
    },
  })
  const server = await createServer(effective, {
    clock: systemClock,
    log: silentLog,
    version,
    assets: undefined,
  })
  await server.stop()
  rmSync(folder, { recursive: true })
  return server.routes
}
