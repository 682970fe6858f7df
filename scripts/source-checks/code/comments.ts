import { lineOf } from '../../source-text.ts'
import type { Breach } from '../breach.ts'
import type { SourceFile } from '../source-tree.ts'

/** Columns after which a comment is wrapped; the formatter wraps only code. */
const MAX_COMMENT_COLUMNS = 110
/** A citation of a numbered decision, which may be wrapped between word and number. */
const DECISION_NUMBER = /\bdecisions?\s+(?:(?:\*|\/\/)\s*)?\d+/gi

/**
 * Lines with comments that are too long, and citations by decision number. A row of a table cannot be
 * wrapped, nor can a single word such as an address.
 */
export function checkComments({ file, source, comments }: Omit<SourceFile, 'code'>): Breach[] {
  const lines = source.split('\n')
  const long = comments.split('\n').flatMap((comment, at) => {
    const line = lines[at] ?? ''
    const text = comment.trim()
    const isFixed = text.startsWith('* |') || text.split(/\s+/).length <= 2
    const isLong = line.length > MAX_COMMENT_COLUMNS && text !== '' && !isFixed
    return isLong
      ? [{ file, line: at + 1, rule: 'comment width', reason: `wrap at ${MAX_COMMENT_COLUMNS} columns` }]
      : []
  })
  const cited = [...comments.matchAll(DECISION_NUMBER)].map(({ index }) => ({
    file,
    line: lineOf(comments, index),
    rule: 'decision number',
    reason: 'cite the record, such as docs/decisions/0003-effectively-once.md',
  }))
  return [...long, ...cited]
}
