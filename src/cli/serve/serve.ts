import { createLog, systemClock } from '../../base/index.ts'
import { createServer, LiveConfig, SETTINGS } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { loadConfig } from '../command-line/server-config.ts'
import { untilStopped } from '../command-line/signals.ts'
import { exitStatus } from '../command-line/usage-error.ts'
import { version } from '../version.ts'
import { reloadOnHangup } from './reload.ts'
import { loadWeb } from './web.ts'

export const serveCommand = defineCommand({
  summary: 'Run the server',
  settings: SETTINGS,
  async run({ given }) {
    const config = loadConfig(given)
    const live = new LiveConfig(config)
    const log = createLog({ level: () => live.current.logLevel, format: config.logFormat })
    reloadOnHangup(() => loadConfig(given), live, log)
    const server = await createServer(config, {
      clock: systemClock,
      log,
      version,
      live,
      assets: await loadWeb(),
      onUnflushed(error) {
        log.error('the disk did not store a write; the server exits', { error })
        process.exit(exitStatus(error))
      },
      onDamaged(error) {
        log.error('the database is damaged; the server exits', { error })
        process.exit(exitStatus(error))
      },
    })
    // Before the first connection: a signal may follow as soon as a port is open.
    const stopped = untilStopped(log, 'server')
    const address = await server.start()
    const lines = [
      `svc ${version} listens on ${address.url}`,
      ...(address.httpsUrl ? [`                 and ${address.httpsUrl}`] : []),
      `Root CA fingerprint (drivers need it): ${server.context.tls.material.caFingerprint}`,
      ...(await server.setUpNotice()),
    ]
    console.log(lines.join('\n'))
    await stopped
    await server.stop()
    process.exit(0)
  },
})
