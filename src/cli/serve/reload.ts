import { type Log, messageOf } from '../../base/index.ts'
import { type Config, flagOf, type LiveConfig } from '../../server/index.ts'

/** At each SIGHUP reads the settings anew by `read`; settings that are wrong change nothing. */
export function reloadOnHangup(read: () => Config, live: LiveConfig, log: Log): void {
  process.on('SIGHUP', () => {
    try {
      const { changed, needRestart } = live.replace(read())
      log.info('settings reloaded', { changed: changed.map(flagOf).join(', ') || 'none' })
      if (needRestart.length === 0) return
      log.warn('changed settings take effect at the next start', {
        settings: needRestart.map(flagOf).join(', '),
      })
    } catch (error) {
      log.error('settings not reloaded, the old ones stay', { reason: messageOf(error) })
    }
  })
}
