import type { CellState } from './read-progress.ts'

/** Marks, words and tones of the states of a routine on a target. */
export const STATES: Record<CellState, readonly [mark: string, word: string, tone: string]> = {
  done: ['✓', 'done', 'ok'],
  running: ['▶', 'running', 'run'],
  failed: ['✕', 'failed', 'bad'],
  unresolved: ['≈', 'unresolved, old value kept', 'warn'],
  blocked: ['⊘', 'blocked', 'soft'],
  declined: ['–', 'declined', 'soft'],
  planned: ['•', 'planned', 'soft'],
  over: ['◦', 'ended, outcome unknown', 'soft'],
}

/** States in the order in which an operator wants to read them. */
export const BY_URGENCY: readonly CellState[] = [
  'failed',
  'unresolved',
  'running',
  'blocked',
  'declined',
  'over',
  'done',
  'planned',
]
