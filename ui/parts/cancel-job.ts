import { asApiError } from '../api/api.ts'
import type { App } from '../app/app.ts'

/** Cancels a pending job without a question, because "Edit and run again" restores it. */
export async function cancelJob({ api, toast }: Pick<App, 'api' | 'toast'>, id: string): Promise<void> {
  try {
    await api.send(`/api/jobs/${id}/cancel`, {})
  } catch (failure) {
    toast(asApiError(failure).message, 'bad')
  }
}
