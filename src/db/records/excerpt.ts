const UNSEEN = /<(script|style|iframe|head)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi
/** Tags that separate words. */
const BLOCKS =
  /<\/?(?:address|article|blockquote|br|div|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b[^<>]*>/gi
const TAGS = /<\/?[a-z!][^<>]*>/gi
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/**
 * Number of characters that are read: matching the ends of hostile tags in megabytes of text would take
 * hours.
 */
const MAX_READ = 20_000

/**
 * The first `length` characters of a text without HTML tags and with white space collapsed. Only the first
 * 20,000 characters of the text are read.
 */
export function excerptOf(
  text: string,
  { length, withEllipsis }: { length: number; withEllipsis: boolean },
): string {
  const plain = text
    .slice(0, MAX_READ)
    .replace(UNSEEN, ' ')
    .replace(BLOCKS, ' ')
    .replace(TAGS, '')
    .replace(/&([a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...plain]
  if (characters.length <= length) return plain
  return characters.slice(0, length).join('').trimEnd() + (withEllipsis ? '...' : '')
}
