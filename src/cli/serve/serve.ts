import { join } from 'node:path'
import { createLog, systemClock } from '../../base/index.ts'
import { type Config, createServer, LiveConfig, LogStore, SETTINGS } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { surviveFailingOutput } from '../command-line/output.ts'
import { configSource, loadEffectiveConfig } from '../command-line/server-config.ts'
import { untilStopped } from '../command-line/signals.ts'
import { exitStatus } from '../command-line/usage-error.ts'
import { version } from '../version.ts'
import { reloadOnHangup } from './reload.ts'
import { loadWeb } from './web.ts'

export const serveCommand = defineCommand({
  summary: 'Run the server',
  settings: SETTINGS,
  async run({ given }) {
    surviveFailingOutput()
    const effective = loadEffectiveConfig(given)
    const { config } = effective
    const live = new LiveConfig(effective, configSource(given))
    const logs = openLogStore(config)
    const log = createLog({
      level: () => live.current.logLevel,
      format: config.logFormat,
      ...(logs && { store: logs.write }),
    })
    reloadOnHangup(live, log)
    const server = await createServer(effective, {
      clock: systemClock,
      log,
      version,
      live,
      logs,
      assets: await loadWeb(),
      // Loaded on the first request: devices take time to load, and a server runs none.
      describeDevices: async () => (await import('../../driver/index.ts')).describeDevices(),
      onUnflushed(error) {
        log.error('the disk did not store a write; the server exits', { error })
        process.exit(exitStatus(error))
      },
      onDatabaseLost(error) {
        log.error('the database is lost; the server exits', { error })
        process.exit(exitStatus(error))
      },
      onFailed: (error) => process.exit(exitStatus(error)),
      onDamaged(error) {
        log.error('the database is damaged; the server exits', { error })
        process.exit(exitStatus(error))
      },
    })
    // From here on the data folder is ours.
    logs?.start()
    process.on('exit', () => logs?.flushNow())
    // Before the first connection: a signal may follow as soon as a port is open.
    const stopped = untilStopped(log, 'server')
    // A server on standby may not lead before it is stopped.
    const address = await Promise.race([server.start(), stopped])
    if (address) {
      const lines = [
        `svc ${version} listens on ${address.url}`,
        ...(address.httpsUrl ? [`                 and ${address.httpsUrl}`] : []),
        `Root CA fingerprint (drivers need it): ${server.context.tls.material.caFingerprint}`,
        ...(await server.setUpNotice()),
      ]
      console.log(lines.join('\n'))
      await stopped
    }
    await server.stop()
    process.exit(0)
  },
})

/** Stores the log in the data folder, unless that is switched off. */
function openLogStore({ dir, logStorage }: Config): LogStore | undefined {
  if (logStorage === 0) return undefined
  return new LogStore({ dir: join(dir, 'logs'), maxBytes: logStorage, clock: systemClock })
}
