import { useApp } from '../../app/app.ts'
import { storePreferences } from '../../app/preferences.ts'
import { useQuery } from '../../app/use-query.ts'

/** The parameter of the address with the titles of the columns that are not shown, or `NONE`. */
const PARAMETER = 'without'
const NONE = 'none'

/**
 * The titles of the columns of a list that are not shown, and how to change them. The address has them, so
 * that saved views and links keep them; without them there, the last choice in this browser holds.
 */
export function useHiddenColumns(list: string) {
  const { preferences } = useApp()
  const query = useQuery()
  const named = query.all(PARAMETER)
  const hidden: readonly string[] = named.length > 0 ? named : (preferences.value.hiddenColumns[list] ?? [])
  const set = (titles: readonly string[]) => {
    const { hiddenColumns, ...others } = preferences.peek()
    preferences.value = { ...others, hiddenColumns: { ...hiddenColumns, [list]: titles } }
    storePreferences(preferences.peek())
    query.set({ [PARAMETER]: titles.length > 0 ? titles : [NONE] })
  }
  return {
    hidden,
    toggle(title: string) {
      const others = hidden.filter((each) => each !== title && each !== NONE)
      set(hidden.includes(title) ? others : [...others, title])
    },
    reset: () => set([]),
  }
}
