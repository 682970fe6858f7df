import { SECOND_MS } from '../../base/index.ts'
import { recordSilence } from '../../db/store/qpus/index.ts'
import type { ServerContext } from '../context.ts'

/**
 * Stores since when a driver has been silent, and that it answers again. A write that has failed is repeated
 * while the driver is connected: otherwise one that answers would look silent.
 */
export function recordAnswers(
  { db, clock, log }: Pick<ServerContext, 'db' | 'clock' | 'log'>,
  source: Parameters<typeof recordSilence>[1],
  isConnected: () => boolean,
): (since: string) => void {
  let [wanted, stored] = ['', '']
  let isWriting = false
  const write = async () => {
    while (stored !== wanted && isConnected()) {
      const since = wanted
      try {
        await recordSilence(db, source, since)
        stored = since
      } catch (error) {
        log.error('whether a driver answers was not stored', { driver: source.driver, error })
        await clock.sleep(SECOND_MS)
      }
    }
    isWriting = false
  }
  return (since) => {
    wanted = since
    if (isWriting) return
    isWriting = true
    void write()
  }
}
