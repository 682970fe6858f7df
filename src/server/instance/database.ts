import { ownCommand } from '../../base/index.ts'
import { type Database, openDatabase, openServerDatabase } from '../../db/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { databaseServer } from '../config/database-server.ts'
import type { Config } from '../config/settings.ts'
import type { InstanceDependencies } from './dependencies.ts'

/** The database in the data folder, or on the server that is configured. */
export async function openConfigured(config: Config, dependencies: InstanceDependencies): Promise<Database> {
  const { clock, log, lock, lease, onUnflushed, onDamaged, onDatabaseLost, databasePatienceMs } = dependencies
  const common = {
    clock,
    log,
    names: publicNames(config),
    readLimits: {
      readers: config.readers,
      timeoutMs: config.readTimeout,
      superuserTimeoutMs: config.superuserReadTimeout,
      waiting: COUNTS.waitingReads,
    },
    readerCommand: ownCommand('reader', `${import.meta.dir}/../reader-main.ts`),
  }
  const server = databaseServer(config)
  if (server) {
    const isBackedUp = config.backupTaken
    return openServerDatabase({
      ...common,
      server,
      isBackedUp,
      epoch: await lease?.led,
      ...(onDatabaseLost ? { onLost: onDatabaseLost } : {}),
      ...(databasePatienceMs === undefined ? {} : { patienceMs: databasePatienceMs }),
    })
  }
  return openDatabase({
    ...common,
    dir: config.dir,
    lock,
    checkpoints: config.checkpoints,
    replicator: config.acknowledge === 'replicated' ? { socket: config.replicatorSocket } : undefined,
    ...(onUnflushed ? { onUnflushed } : {}),
    ...(onDamaged ? { onDamaged } : {}),
  })
}

/** The configured addresses of collections. */
export function publicNames(config: Config) {
  return {
    qpus: config.qpusCollection,
    time_slots: config.timeslotsCollection,
    quantum_jobs: config.jobsCollection,
    api_tokens: config.apiTokensCollection,
    notifications: config.notificationsCollection,
    qpu_time_requests: config.qpuTimeRequestsCollection,
  }
}
