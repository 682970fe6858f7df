/** An import, re-export or dynamic import with a literal specifier. */
export interface ImportSite {
  specifier: string
  /** Counted from 1. */
  line: number
}

/** Comment, string, backtick, brace or what may be a regular expression: all that decides what is code. */
const TOKEN =
  /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?|[`{}]|\/(?:\[(?:\\.|[^\]\\\n])*\]|\\.|[^/\\\n[])+\//g
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/g
/** What stands before a slash that begins a regular expression; elsewhere it divides. */
const BEFORE_REGEX =
  /(?:^|[=(,:[!&|?{};+*%~^<>-]|(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|do|else|yield|await))\s*$/

/** The comments at their places in an otherwise blank text. */
function placed(source: string, comments: readonly { start: number; text: string }[]): string {
  let out = ''
  for (const { start, text } of comments) out += blank(source.slice(out.length, start)) + text
  return out + blank(source.slice(out.length))
}

/** The text as spaces with the same line ends. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

/** A TypeScript file divided into code and comments, at the positions of the file. */
export interface ScannedSource {
  /** The text with comments, regular expressions and the insides of strings turned into spaces. */
  code: string
  /** The text with everything but the comments turned into spaces. */
  comments: string
}

/** The code of a TypeScript file; see `scanSource()`. */
export function codeOf(source: string): string {
  return scanSource(source).code
}

/**
 * Divides a TypeScript file. Length and line ends stay, so that positions are those of the file. Code inside
 * `${}` of a template stays code. In JSX text an apostrophe hides the rest of its line, which no rule here
 * minds.
 */
export function scanSource(source: string): ScannedSource {
  let out = ''
  const comments: { start: number; text: string }[] = []
  /** Depths of braces at which the open `${` close. */
  const placeholders: number[] = []
  let depth = 0

  /** Takes the text of a template up to its next `${` or its end. */
  function takeTemplateText(): void {
    TEMPLATE_TEXT.lastIndex = out.length
    out += blank(TEMPLATE_TEXT.exec(source)?.[0] ?? '')
    if (source.startsWith('${', out.length)) {
      placeholders.push(depth)
      depth += 1
      out += '${'
    } else if (source[out.length] === '`') out += '`'
  }

  function takeBrace(brace: string): void {
    out += brace
    depth += brace === '{' ? 1 : -1
    if (brace === '}' && placeholders.at(-1) === depth) {
      placeholders.pop()
      takeTemplateText()
    }
  }

  function takeComment(token: string): void {
    comments.push({ start: out.length, text: token })
    out += blank(token)
  }

  /** Takes a string or a regular expression, of which only the marks at both ends stay. */
  function takeLiteral(token: string, mark: string): void {
    const isClosed = token.length > 1 && token.endsWith(mark)
    out += mark + blank(token.slice(1, isClosed ? -1 : undefined)) + (isClosed ? mark : '')
  }

  function take(token: string): void {
    const first = token.charAt(0)
    if (first === '{' || first === '}') takeBrace(first)
    else if (token.startsWith('//') || token.startsWith('/*')) takeComment(token)
    else if (first === "'" || first === '"') takeLiteral(token, first)
    else if (first === '/' && BEFORE_REGEX.test(out.slice(-40))) takeLiteral(token, first)
    else out += first
    if (first === '`') takeTemplateText()
  }

  if (source.startsWith('#!')) out = blank(/.*/.exec(source)?.[0] ?? '')
  for (;;) {
    TOKEN.lastIndex = out.length
    const match = TOKEN.exec(source)
    if (!match) return { code: out + source.slice(out.length), comments: placed(source, comments) }
    out += source.slice(out.length, match.index)
    take(match[0])
  }
}

/** The line of a position, counted from 1. */
export function lineOf(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

const SPECIFIER = /(?<![\w$.])(?:from|import|require)\s*\(?\s*(['"`])/g

/** Every module that a file names, types included. `code` is what `codeOf` made of `source`. */
export function importsOf(source: string, code: string): ImportSite[] {
  return [...code.matchAll(SPECIFIER)].map((match) => {
    const start = match.index + match[0].length
    const end = code.indexOf(match[1] ?? '', start)
    return { specifier: source.slice(start, end), line: lineOf(source, start) }
  })
}
