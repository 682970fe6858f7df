import type { Clock } from '../../../../base/index.ts'
import type { Hardware } from '../../../chip/hardware/hardware-file.ts'
import { ClusterError } from '../connection/reply.ts'
import type { Link } from '../dialect/links.ts'

/** The oscillator of 10 MHz that the clocks of a cluster follow: its own, or one at its input. */
export type Reference = NonNullable<Hardware['clusters'][number]['reference']>

export const REFERENCE = 'STATus:QUEStionable:FREQuency:REFerence:SRC'
/** How long the clocks may take to follow another reference, and the pause between two questions, ms. */
const LOCK_MS = 5_000
const PAUSE_MS = 500

/** The reference that a cluster follows. */
export async function referenceOf(link: Link): Promise<Reference> {
  return Number(await link.query(`${REFERENCE}?`)) === 1 ? 'internal' : 'external'
}

/**
 * Whether the clocks follow their reference. The cluster returns a status and flags, one of them for clocks
 * that do not; with the status `RESOLVED` that is over.
 */
export async function isLocked(link: Link): Promise<boolean> {
  const state = await link.query('STATus:GENeral:STATE?')
  return !(/^(CRIT.)?ERROR/i.test(state) && /PLL.UNLOCKED/i.test(state))
}

/**
 * Makes a cluster follow a reference, and waits until it does. One that follows it already keeps its clocks:
 * setting them again would interrupt them.
 * @throws ClusterError when the clocks do not follow, such as without a signal at the input.
 */
export async function followReference(link: Link, reference: Reference, clock: Clock): Promise<void> {
  if ((await referenceOf(link)) !== reference) {
    await link.send(`${REFERENCE} ${reference === 'internal' ? 1 : 0}`)
  }
  const due = clock.monotonic() + LOCK_MS
  while (!(await isLocked(link))) {
    if (clock.monotonic() >= due)
      throw new ClusterError(`the clocks of the cluster do not follow the ${reference} reference`)
    await clock.sleep(PAUSE_MS)
  }
}
