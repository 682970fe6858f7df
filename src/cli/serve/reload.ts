import { flagOf, type Log, messageOf } from '../../base/index.ts'
import type { LiveConfig } from '../../server/index.ts'

/** Reloads the settings at each SIGHUP; wrong settings change nothing. */
export function reloadOnHangup(live: LiveConfig, log: Log): void {
  process.on('SIGHUP', () => {
    try {
      const { changed, needRestart } = live.reload()
      log.info('settings reloaded', { changed: changed.map(flagOf).join(', ') || 'none' })
      if (needRestart.length === 0) return
      log.warn('changed settings take effect at the next start', {
        settings: needRestart.map(flagOf).join(', '),
      })
    } catch (error) {
      log.error('settings not reloaded; the previous ones remain in force', { reason: messageOf(error) })
    }
  })
}
