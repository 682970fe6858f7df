import { Lease, lockDataFolder, type ServerAddress } from '../db/index.ts'
import { RestoredFile } from '../db/sqlite/backup/index.ts'
import { BackupOperations } from './admin/backups/operations.ts'
import { databaseServer } from './config/database-server.ts'
import { LiveConfig } from './config/live-config.ts'
import type { EffectiveConfig } from './config/read-config.ts'
import type { Config } from './config/settings.ts'
import type { ServerContext } from './context.ts'
import { DatabaseService } from './database-service.ts'
import { Gate } from './gate.ts'
import { HttpPorts } from './http/ports.ts'
import type { Route } from './http/route.ts'
import type { InstanceDependencies, ServerDependencies } from './instance/dependencies.ts'
import { openInstance } from './instance/instance.ts'
import type { Realtime } from './realtime/realtime.ts'
import { openCertificateStore } from './tls/certificate-store.ts'

/** A server that is built but not yet listening. */
export interface Server {
  /**
   * That of the database in service; a restore replaces it. A server that shares its database has none before
   * it leads.
   */
  readonly context: ServerContext
  /** Every declared route, for the reference. */
  readonly routes: readonly Route[]
  /** Event streams: their number, and access to those that await a login. */
  readonly realtime: Pick<Realtime, 'size' | 'askerOf' | 'reportLogin'>
  /**
   * Starts the services; the ports open last. A server that shares its database opens them first, and waits
   * until it leads.
   * @throws AppError `unavailable` when a port is taken, or when `stop` ended the wait; everything is stopped
   *   again by then.
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
 * unless others share that, and frees all leases.
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
  const shared = databaseServer(config)
  let lease: Lease | undefined
  const service = new DatabaseService({
    restored: shared === undefined ? new RestoredFile(dir) : undefined,
    clock,
    log,
    gate,
    ports,
    onFailed: dependencies.onFailed,
    open: () => openInstance(config, { ...dependencies, tls, ports, backups, lease }),
  })
  if (shared === undefined) await service.open()
  let isStopping = false
  let starting: Promise<unknown> | undefined

  async function close(): Promise<void> {
    try {
      await backups.stop()
      if (service.isOpen) service.instance.endStreams()
      // Ports close only when their requests have ended.
      await ports.close()
    } finally {
      try {
        if (service.isOpen) await service.instance.stop()
      } finally {
        // After the last write: another server may lead from now on.
        await lease?.release()
        lock.release()
      }
    }
  }

  /** Waits until this server leads, among those that share the database, and opens it. */
  async function lead(server: ServerAddress): Promise<void> {
    gate.standBy('')
    await ports.open(gate.handle)
    lease = new Lease({
      server,
      address: ports.url,
      rootCa: tls.material.caFingerprint,
      dir,
      onStandby(leader) {
        gate.standBy(leader)
        if (leader === '') log.warn('on standby; the database does not respond')
        else log.info('on standby', { leader })
      },
      onLost: (error) => dependencies.onDatabaseLost?.(error),
    })
    if (isStopping) lease.abandon()
    const epoch = await lease.led
    gate.standBy('')
    log.info('leading', { epoch })
    await service.open()
  }

  async function start(): Promise<{ url: string; httpsUrl: string | undefined }> {
    try {
      if (shared) await lead(shared)
      await service.start()
      if (!shared) await ports.open(gate.handle)
      lease?.watch()
      service.instance.context.db.shared?.limitWaits()
    } catch (error) {
      await close()
      throw error
    }
    const { url, httpsUrl } = ports
    log.info('server started', { url, version })
    return { url, httpsUrl }
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
    start() {
      const started = start()
      starting = started
      return started
    },
    setUpNotice: () => service.instance.setUp.notice(ports.url),
    async stop() {
      isStopping = true
      lease?.abandon()
      await starting?.catch(() => undefined)
      await close()
      log.info('server stopped')
    },
  }
}

function openCertificates(config: Config, { clock, log }: Pick<ServerDependencies, 'clock' | 'log'>) {
  const { tlsCaCertFile, tlsCaKeyFile, tlsCertFile, tlsKeyFile, ipAddr, domain } = config
  const files = { caCert: tlsCaCertFile, caKey: tlsCaKeyFile, cert: tlsCertFile, key: tlsKeyFile }
  return openCertificateStore({ files, ipAddr, domain, clock, log })
}
