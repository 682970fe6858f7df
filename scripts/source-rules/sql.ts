/** A form of SQL that is not written, because databases disagree about it. */
export interface BannedSql {
  what: string
  /** What it looks like in a statement, of which texts are blank and code inside a template is one `¤`. */
  pattern: RegExp
  /** What is written instead, and why. */
  reason: string
}

/** Files whose SQL is for all databases: not the dialect, the engines and released migrations. */
export const COMMON_SQL = /^src\/db\/(?!sqlite\/|postgres\/|engine\/dialect\.ts$|schema\/migrations\/)/

/** Begins a name that nothing qualifies, and that is no parameter. */
const BARE = '(?<![\\w"$.¤\'@\\\\-])'
/** A group in brackets, with three groups in each other inside. */
const GROUP = [1, 2, 3].reduce((inner) => `\\((?:[^()]|${inner})*\\)`, '\\([^()]*\\)')
/** What is neither a comma nor a bracket. */
const ARGUMENT = `(?:[^(),]|${GROUP})*`
/** A table of a join, and its name. */
const TABLE = `(?:[\\w."]+|¤|${GROUP})(?:\\s+(?:AS\\s+)?[a-z_"]+)?`
const AFTER_FROM = '(?:JOIN|LEFT|CROSS|WHERE|GROUP|ORDER|LIMIT|UNION|HAVING)\\b'

/**
 * Differences between SQLite and PostgreSQL. Some are silent: both run the statement and answer differently.
 * The others are an error in one of them, although there is a form that both have.
 */
export const BANNED_SQL: readonly BannedSql[] = [
  {
    what: 'keyword as a name',
    pattern: new RegExp(`${BARE}(user|end|order|limit|offset|window)(?![\\w"'(¤-])`, 'g'),
    reason: 'write it in double quotes: a bare user is the role of the connection in PostgreSQL',
  },
  {
    what: 'name in camelCase',
    pattern: new RegExp(`${BARE}[a-z]+[A-Z]\\w*(?![\\w"'(])`, 'g'),
    reason: 'write it in double quotes: PostgreSQL makes bare names lower-case',
  },
  {
    what: 'LIKE',
    pattern: /\b(LIKE|GLOB|REGEXP)\b/g,
    reason: 'use like() of the dialect: only SQLite ignores the case',
  },
  {
    what: 'CAST to a number',
    pattern: /\bAS\s+(REAL|FLOAT|INTEGER|INT|BIGINT|NUMERIC)\s*\)/g,
    reason:
      'use real() or integer() of the dialect: a REAL of PostgreSQL has 4 bytes, and its cast to an integer rounds',
  },
  {
    what: 'round()',
    pattern: /\bround\s*\(/g,
    reason: 'use rounded() of the dialect: PostgreSQL rounds half of a double to the even number',
  },
  {
    what: 'function of one database',
    pattern:
      /(?<![\w.])(random|typeof|julianday|unixepoch|strftime|datetime|printf|format|instr|group_concat|ifnull|iif|total|hex|quote|glob|greatest|least|strpos)\s*\(/gi,
    reason: 'use a function of the dialect or of standard SQL',
  },
  {
    what: 'scalar max() or min()',
    pattern: new RegExp(`(?<![\\w.])(max|min)\\(${ARGUMENT},(?:${ARGUMENT},?)*\\)`, 'gi'),
    reason: 'use greatest() or least() of the dialect: in PostgreSQL max() and min() only aggregate',
  },
  {
    what: 'IS with a value',
    pattern: /\bIS\s+(?:NOT\s+)?(?!NOT\b|NULL\b|DISTINCT\b|TRUE\b|FALSE\b)[\w$'"¤(]/g,
    reason: 'write IS [NOT] DISTINCT FROM, which both have',
  },
  {
    what: 'ON CONFLICT DO UPDATE without columns',
    pattern: /\bON\s+CONFLICT\s+DO\s+UPDATE\b/g,
    reason: 'name the columns of the key, which PostgreSQL requires',
  },
  {
    what: 'bare column in DO UPDATE',
    pattern: /(?<=\bDO\s+UPDATE\s+SET\b[\s\S]*(?:[=(+,-]|>|<)\s*)(?<![.$\w"])[a-z_]+\b(?!\s*[=.(\w])/g,
    reason: 'write the table before it: PostgreSQL finds it ambiguous',
  },
  {
    what: 'bare column in the condition of DO UPDATE',
    pattern: /(?<=\bDO\s+UPDATE\s+SET\b[\s\S]*\b(?:WHERE|AND|OR)\s+)[a-z_]+\b(?!\s*[.(])/g,
    reason: 'write the table before it: PostgreSQL finds it ambiguous',
  },
  {
    what: 'condition as a number',
    pattern: /\bcoalesce\([^(),]*[=<>][^(),]*,\s*\d+\s*\)/gi,
    reason: 'write CASE WHEN: a condition of PostgreSQL is no number',
  },
  {
    what: 'alias in HAVING',
    pattern: new RegExp(
      `(?<=\\bHAVING\\b(?:(?!\\bORDER\\b|\\bLIMIT\\b)[^()]|${GROUP})*)${BARE}[a-z_]+\\b(?!\\s*[.(\\w])`,
      'g',
    ),
    reason: 'repeat the expression: in PostgreSQL an alias is not known there',
  },
  {
    what: 'JOIN without ON',
    pattern: new RegExp(`(?<!CROSS\\s)\\bJOIN\\s+${TABLE}\\s+(?=(?:INNER\\s+)?${AFTER_FROM})`, 'g'),
    reason: 'write CROSS JOIN, or its condition',
  },
  {
    what: 'CROSS JOIN with ON',
    pattern: new RegExp(`\\bCROSS\\s+JOIN\\s+${TABLE}\\s+ON\\b`, 'g'),
    reason: 'use JOIN_IN_ORDER of the dialect, or a JOIN',
  },
  {
    what: 'derived table without a name',
    pattern: new RegExp(`\\b(?:FROM|JOIN)\\s+${GROUP}\\s*(?=${AFTER_FROM}|\\)|;|$)`, 'g'),
    reason: 'name it: PostgreSQL 15 requires a name',
  },
  {
    what: 'LIMIT -1',
    pattern: /\bLIMIT\s+-/g,
    reason: 'leave LIMIT out: PostgreSQL accepts no negative number',
  },
  {
    what: 'INSERT OR',
    pattern: /\b(INSERT\s+OR|UPDATE\s+OR|REPLACE\s+INTO)\b/g,
    reason: 'write ON CONFLICT',
  },
  {
    what: 'unary plus',
    pattern: /(?:[(,]|\b(?:AND|OR|BY|WHERE|ON))\s*\+\s*[a-z"]/g,
    reason: 'use unindexed() of the dialect',
  },
  {
    what: 'PRAGMA or catalog of SQLite',
    pattern: /\bPRAGMA\b|\bsqlite_\w+|\bpragma_\w+/g,
    reason: 'ask the engine: src/db/engine/engine.ts',
  },
]
