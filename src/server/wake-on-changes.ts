import type { Database } from '../db/index.ts'

/**
 * For a `Loop`: wakes it at each change of `collections`. Before the commit of the change: what the loop
 * writes then shares it, and a job is on its way a flush of the disk earlier.
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
