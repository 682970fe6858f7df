import { useApp } from '../app/app.ts'
import type { Answer, Question } from '../app/dialogs.ts'

/** Asks before an action in a dialog; resolves to whether it was confirmed. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const { dialogs } = useApp()
  return async (question) => (await dialogs.ask(question)).confirmed
}

/**
 * Asks before an action, and runs it with the reason that was given. `done` says that it succeeded; a failure
 * is a message too. Resolves to whether it was confirmed.
 */
export function useAction() {
  const { attempt, dialogs, toast } = useApp()
  return async (question: Question, work: (reason: string) => Promise<unknown>, done?: string) => {
    const { confirmed, reason } = await dialogs.ask(question)
    if (confirmed && (await attempt(() => work(reason))) && done) toast(done)
    return confirmed
  }
}

/** Asks for a reason together with the confirmation. */
export function useAsk(): (question: Question) => Promise<Answer> {
  const { dialogs } = useApp()
  return dialogs.ask
}
