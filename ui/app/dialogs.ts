import { type Signal, signal } from '@preact/signals'

/** What is asked before an action. */
export interface Question {
  title: string
  /** What will happen, in one or two sentences. */
  body?: string
  /** Label of the button that confirms: the action itself. */
  action: string
  tone?: 'bad' | 'normal'
  /** Text that has to be typed before the action is offered, such as the name of what is deleted. */
  typed?: string
  /** Label of a text that goes with the action, such as a reason; empty text is refused when required. */
  reason?: { label: string; required?: boolean }
}

/** The answer: whether it was confirmed, and the reason given. */
export interface Answer {
  confirmed: boolean
  reason: string
}

/** A short message that disappears automatically; one of tone `bad` stays until it is closed. */
interface Toast {
  id: number
  text: string
  tone: ToastTone
}
export type ToastTone = 'ok' | 'bad'

/** Questions and short messages above the page. */
export interface Dialogs {
  /** The question being asked. */
  question: Signal<{ ask: Question; answer: (answer: Answer) => void } | undefined>
  toasts: Signal<readonly Toast[]>
  /** Asks a question; one that is still open is answered with no. */
  ask(question: Question): Promise<Answer>
  toast(text: string, tone?: ToastTone): void
  close(toast: Toast): void
}

const TOAST_MS = 6_000
const MAX_TOASTS = 3

/** Creates the questions and messages of one page. */
export function createDialogs(): Dialogs {
  const question: Dialogs['question'] = signal(undefined)
  const toasts = signal<readonly Toast[]>([])
  let last = 0
  const close = ({ id }: Toast) => {
    toasts.value = toasts.peek().filter((toast) => toast.id !== id)
  }
  return {
    question,
    toasts,
    ask: (asked) => {
      question.peek()?.answer({ confirmed: false, reason: '' })
      return new Promise((resolve) => {
        question.value = {
          ask: asked,
          answer(answer) {
            question.value = undefined
            resolve(answer)
          },
        }
      })
    },
    toast(text, tone = 'ok') {
      last += 1
      const toast: Toast = { id: last, text, tone }
      toasts.value = [...toasts.peek(), toast].slice(-MAX_TOASTS)
      if (tone === 'ok') setTimeout(() => close(toast), TOAST_MS)
    },
    close,
  }
}
