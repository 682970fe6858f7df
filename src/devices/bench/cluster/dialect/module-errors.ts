import { InstrumentError } from '../../instrument.ts'
import type { Link } from './links.ts'

/** Longest quotation of what a module says. */
const MAX_QUOTED = 2_000

/** The first line of what a module says. */
export function quoted(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, MAX_QUOTED)
}

/**
 * Checks that the error queue of a module is empty.
 * @param more says more about the messages, to be added to them
 * @throws InstrumentError with `problem` and all messages.
 */
export async function assertNoErrors(
  link: Pick<Link, 'takeErrors'>,
  problem: string,
  more: (messages: readonly string[]) => Promise<string> = async () => '',
): Promise<void> {
  const messages = await link.takeErrors()
  if (messages.length === 0) return
  const all = messages.map(quoted).join('; ').slice(0, MAX_QUOTED)
  throw new InstrumentError(`${problem}: ${all}${await more(messages)}`)
}
