import { defineCommand } from 'citty'
import { createLog, systemClock } from '../../base/index.ts'
import { createServer, LiveConfig } from '../../server/index.ts'
import { exitStatus, readFlags } from '../command-line/flags.ts'
import { loadConfig, settingsArgs } from '../command-line/settings-flags.ts'
import { untilStopped } from '../command-line/signals.ts'
import { version } from '../version.ts'
import { reloadOnHangup } from './reload.ts'
import { loadWeb } from './web.ts'

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Run the server' },
  args: settingsArgs,
  async run({ rawArgs }) {
    const flags = readFlags('svc serve', rawArgs, settingsArgs)
    const config = loadConfig(flags)
    const live = new LiveConfig(config)
    const log = createLog({ level: () => live.current.logLevel, format: config.logFormat })
    reloadOnHangup(() => loadConfig(flags), live, log)
    const server = await createServer(config, {
      clock: systemClock,
      log,
      version,
      live,
      assets: await loadWeb(),
      onUnflushed(error) {
        log.error('server ends at once, the disk did not keep what was written', { error })
        process.exit(exitStatus(error))
      },
      onDamaged(error) {
        log.error('server ends, the check of its database has found damage', { error })
        process.exit(exitStatus(error))
      },
    })
    // Before the first connection: whoever sees the server up may stop it at once.
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
