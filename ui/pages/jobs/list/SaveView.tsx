import { useApp } from '../../../app/app.ts'
import { MAX_VIEWS, storePreferences, VIEW_NAME_LENGTH } from '../../../app/preferences.ts'

/** Keeps the filters of the address under a name in the menu, or removes them from it. */
export function SaveView() {
  const { dialogs, preferences, router } = useApp()
  const { views } = preferences.value
  const search = router.search.value.toString()
  const address = `${router.path.value}?${search}`
  if (search === '') return null
  const isSaved = views.some((view) => view.address === address)
  const set = (next: typeof views) => {
    preferences.value = { ...preferences.peek(), views: next }
    storePreferences(preferences.peek())
  }
  const save = async () => {
    const { confirmed, reason } = await dialogs.ask({
      title: 'Save this view?',
      body: 'The menu of this browser shows it under its name.',
      action: 'Save',
      reason: { label: 'Name', required: true },
    })
    const name = reason.trim().slice(0, VIEW_NAME_LENGTH)
    if (confirmed) set([...views.filter((view) => view.name !== name), { name, address }].slice(-MAX_VIEWS))
  }
  return isSaved ? (
    <button type="button" class="quiet" onClick={() => set(views.filter((view) => view.address !== address))}>
      Remove from menu
    </button>
  ) : (
    <button type="button" class="quiet" onClick={() => void save()}>
      Save view
    </button>
  )
}
