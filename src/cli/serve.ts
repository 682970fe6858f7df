import { defineCommand } from 'citty'
import { createLog, systemClock } from '../base/index.ts'
import { createServer } from '../server/index.ts'
import { readFlags } from './flags.ts'
import { loadConfig, settingsArgs } from './settings-flags.ts'
import { untilStopped } from './signals.ts'
import { version } from './version.ts'
import { loadWeb } from './web.ts'

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Run the server' },
  args: settingsArgs,
  async run({ rawArgs }) {
    const config = loadConfig(readFlags('svc serve', rawArgs, settingsArgs))
    const log = createLog({ level: config.logLevel, format: config.logFormat })
    const server = await createServer(config, {
      clock: systemClock,
      log,
      version,
      assets: await loadWeb(),
    })
    const address = await server.start()
    const lines = [
      `svc ${version} listens on ${address.url}`,
      ...(address.httpsUrl ? [`                 and ${address.httpsUrl}`] : []),
      `Root CA fingerprint (drivers need it): ${server.context.tls.material.caFingerprint}`,
      ...(await server.setUpNotice()),
    ]
    console.log(lines.join('\n'))
    await untilStopped(log, 'server')
    await server.stop()
    process.exit(0)
  },
})
