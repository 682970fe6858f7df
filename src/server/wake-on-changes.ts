import type { Database } from '../db/index.ts'

/**
 * An option of `Loop` that wakes it at each change of `collections`. It wakes before the commit of the
 * change, so that the loop's own writes share that commit and a job is dispatched one disk flush earlier.
 */
export function wakeOnChanges(
  { upcoming }: Pick<Database, 'upcoming'>,
  ...collections: readonly string[]
): (wake: () => void) => () => void {
  const waking = new Set(collections)
  return (wake) =>
    upcoming.subscribe((changes) => {
      if (changes.some(({ collection }) => waking.has(collection))) wake()
    })
}
