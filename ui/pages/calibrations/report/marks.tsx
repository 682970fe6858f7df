import type { Outcome } from '../reading/read-report.ts'

/** Marks, words and tones of outcomes, in the order in which they are listed. */
export const OUTCOMES: readonly (readonly [Outcome, mark: string, word: string, tone: string])[] = [
  ['done', '✓', 'done', 'tone-ok'],
  ['unresolved', '≈', 'unresolved, old value kept', 'tone-warn'],
  ['failed', '✕', 'failed', 'tone-bad'],
  ['blocked', '⊘', 'blocked', 'soft'],
  ['declined', '–', 'declined', 'soft'],
]

/** The mark of an outcome, with its word for screen readers. */
export function Mark({ of }: { of: Outcome }) {
  const [, mark, word, tone] = OUTCOMES.find(([outcome]) => outcome === of) ?? [of, '•', of, 'soft']
  return (
    <span class={tone} title={word}>
      <span aria-hidden="true">{mark}</span>
      <span class="unseen">{word}</span>
    </span>
  )
}
