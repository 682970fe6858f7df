import { lockDataFolder } from '../db/index.ts'
import { BackupOperations } from './admin/backups/operations.ts'
import { LiveConfig } from './config/live-config.ts'
import type { EffectiveConfig } from './config/read-config.ts'
import type { Config } from './config/settings.ts'
import type { ServerContext } from './context.ts'
import { DatabaseService } from './database-service.ts'
import { Gate } from './gate.ts'
import { HttpPorts } from './http/ports.ts'
import type { Route } from './http/route.ts'
import { type InstanceDependencies, openInstance, type ServerDependencies } from './instance.ts'
import type { Realtime } from './realtime/realtime.ts'
import { openCertificateStore } from './tls/certificate-store.ts'

/** A server that is built but not yet listening. */
export interface Server {
  /** That of the database in service; a restore replaces it. */
  readonly context: ServerContext
  /** Every declared route, for the reference. */
  readonly routes: readonly Route[]
  /** Event streams: their number, and access to those that await a login. */
  readonly realtime: Pick<Realtime, 'size' | 'askerOf' | 'reportLogin'>
  /**
   * Starts the services; the ports open last.
   * @throws AppError `unavailable` when a port is taken; everything is stopped again by then.
   */
  start(): Promise<{ url: string; httpsUrl: string | undefined }>
  /** Lines that explain how to create the first superuser; empty when there is one. */
  setUpNotice(): Promise<string[]>
  /**
   * Stops the services in reverse order; running requests finish first. Safe before `start` and a second
   * time.
   * @throws the failure of a service, after all others have been stopped.
   */
  stop(): Promise<void>
}

/**
 * Builds the server from its configuration: locks the data folder, opens the certificates and the database,
 * frees all leases.
 * @throws AppError with the remedy when the database or a certificate file cannot be used.
 */
export async function createServer(
  effective: EffectiveConfig,
  dependencies: ServerDependencies,
): Promise<Server> {
  const { config } = effective
  // First of all: two servers must not create certificates at the same time. It is held over restores.
  const lock = lockDataFolder({ dir: config.dir, log: dependencies.log })
  try {
    return await assemble(config, { live: new LiveConfig(effective), ...dependencies, lock })
  } catch (error) {
    lock.release()
    throw error
  }
}

type Assembly = ServerDependencies & Pick<InstanceDependencies, 'live' | 'lock'>

async function assemble(config: Config, dependencies: Assembly): Promise<Server> {
  const { clock, log, version, lock } = dependencies
  const { dir } = config
  const tls = await openCertificates(config, dependencies)
  const ports = new HttpPorts({ config, tls, clock, log })
  const gate = new Gate(() => clock.now())
  const backups: BackupOperations = new BackupOperations({
    dir,
    clock,
    log: log.child('backups'),
    version,
    replace: (restore) => service.replace(restore),
  })
  const service = new DatabaseService({
    dir,
    clock,
    log,
    gate,
    ports,
    onFailed: dependencies.onFailed,
    open: () => openInstance(config, { ...dependencies, tls, ports, backups }),
  })
  await service.open()
  const stop = async () => {
    try {
      await backups.stop()
      service.instance.endStreams()
      // Ports close only when their requests have ended.
      await ports.close()
    } finally {
      await service.instance.stop().finally(() => lock.release())
    }
  }
  return {
    get context() {
      return service.instance.context
    },
    get routes() {
      return service.instance.routes
    },
    get realtime() {
      return service.instance.realtime
    },
    async start() {
      try {
        await service.start()
        await ports.open(gate.handle)
      } catch (error) {
        await stop()
        throw error
      }
      const { url, httpsUrl } = ports
      log.info('server started', { url, version })
      return { url, httpsUrl }
    },
    setUpNotice: () => service.instance.setUp.notice(ports.url),
    async stop() {
      await stop()
      log.info('server stopped')
    },
  }
}

function openCertificates(config: Config, { clock, log }: Pick<ServerDependencies, 'clock' | 'log'>) {
  const { tlsCaCertFile, tlsCaKeyFile, tlsCertFile, tlsKeyFile, ipAddr, domain } = config
  const files = { caCert: tlsCaCertFile, caKey: tlsCaKeyFile, cert: tlsCertFile, key: tlsKeyFile }
  return openCertificateStore({ files, ipAddr, domain, clock, log })
}
