import { useApp } from '../app/app.ts'
import type { Answer, Question } from '../app/dialogs.ts'

/** Asks before an action in a dialog; resolves to whether it was confirmed. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const { dialogs } = useApp()
  return async (question) => (await dialogs.ask(question)).confirmed
}

/** Asks for a reason together with the confirmation. */
export function useAsk(): (question: Question) => Promise<Answer> {
  const { dialogs } = useApp()
  return dialogs.ask
}
