import { asApiError } from '../api/api.ts'
import { useApp } from '../app/app.ts'

/** A function that dismisses notices and reports a failure as a message. */
export function useDismiss(): (ids: readonly string[]) => Promise<void> {
  const { notices, toast } = useApp()
  return async (ids) => {
    try {
      await notices.dismiss(ids)
    } catch (failure) {
      toast(`Could not dismiss: ${asApiError(failure).message}`, 'bad')
    }
  }
}
