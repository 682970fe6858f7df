/** A breach of a rule. */
export interface Breach {
  file: string
  /** Counted from 1. */
  line: number
  rule: string
  reason: string
}

/** A finding without its place, which the caller adds. */
export type Finding = Omit<Breach, 'file' | 'line'>
