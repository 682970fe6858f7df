/** A breach of a rule. */
export interface Breach {
  file: string
  /** Counted from 1. */
  line: number
  rule: string
  reason: string
}

/** What a check finds at a place that its caller knows. */
export type Finding = Omit<Breach, 'file' | 'line'>
