import type { Database } from '../../db/index.ts'
import { LogTails } from '../admin/logs/log-tails.ts'
import { BackgroundTasks } from '../admin/tasks/background-tasks.ts'
import type { Config } from '../config/settings.ts'
import { buildApp } from '../http/app.ts'
import { serveAssets } from '../http/response/assets.ts'
import { Readiness } from '../meta/readiness.ts'
import { buildRoutes } from '../routes.ts'
import { ServiceList } from '../services.ts'

import { openConfigured } from './database.ts'
import type { Instance, InstanceDependencies } from './dependencies.ts'
import { openParts } from './parts.ts'
import { listServices } from './services.ts'

/**
 * Opens the database, frees all leases and builds every part of the server.
 * @throws AppError with the remedy when the database cannot be used.
 */
export async function openInstance(config: Config, dependencies: InstanceDependencies): Promise<Instance> {
  const db = await openConfigured(config, dependencies)
  try {
    return await assemble(config, db, dependencies)
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Builds every part from the parts before it; nothing runs yet. */
async function assemble(config: Config, db: Database, dependencies: InstanceDependencies): Promise<Instance> {
  const { clock, log, assets, ports, backups, logs, describeDevices = async () => [] } = dependencies
  const parts = await openParts(config, db, dependencies)
  const { context, accounts, audit, identify, realtime, requests, sessionWaits, setUp, waits } = parts
  const services = listServices(parts, dependencies)
  const replicator = { name: 'replicator', health: () => db.files?.replicationFailure?.reason }
  const readiness = new Readiness([...services, ports, replicator])
  const tasks = new BackgroundTasks(services)
  const tails = new LogTails(clock)
  const routes = buildRoutes({ ...parts, readiness, backups, tasks, logs, tails, describeDevices })
  const app = buildApp({
    context,
    routes,
    identify,
    knownCaller: (request) => accounts.knownCaller(request),
    pages: assets ? serveAssets(assets) : undefined,
    onFinished: (finished) => requests.add(finished),
    onCaller: (caller, call) => audit.used(caller, call),
  })
  const list = new ServiceList(services, log)
  return {
    context,
    routes,
    realtime,
    setUp,
    app,
    start: () => list.start(),
    endStreams() {
      realtime.endStreams()
      tails.endAll()
      waits.stop()
      sessionWaits.stop()
    },
    stop: () => list.stop(),
  }
}
