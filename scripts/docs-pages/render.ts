import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from './escape.ts'
import { plainText } from './plain-text.ts'
import { createSlugger } from './slug.ts'

/** A heading below the title of a page. */
interface Heading {
  depth: number
  id: string
  text: string
}

/** The text between two headings, which search finds as one. */
export interface Section {
  /** Anchor of its heading; empty for the text under the title. */
  id: string
  heading: string
  text: string
}

/** One document as HTML. */
export interface Rendered {
  html: string
  headings: Heading[]
  sections: Section[]
  /** Every anchor of the page. */
  ids: Set<string>
}

/** Longer lines of code scroll on a small screen, so the block takes the focus. */
const WIDE_CODE = 44
/** Deeper headings are not listed in the table of contents. */
const LISTED_DEPTH = 3

/**
 * Renders a document. `resolve` gets each link as written and returns the address on the server.
 * @throws Error on HTML other than `<br>` and comments, which the Markdown does not need.
 */
export function renderMarkdown(markdown: string, resolve: (href: string) => string): Rendered {
  const headings: Heading[] = []
  const ids = new Set<string>()
  const slugOf = createSlugger()
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens)
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 tabindex="-1">${inner}</h1>\n`
        const id = slugOf(text)
        ids.add(id)
        headings.push({ depth, id, text })
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${id}">${inner} ${anchor}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolve(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      code({ text, lang }) {
        return renderCode(text, lang ?? '')
      },
      table({ header, rows }) {
        const line = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map(({ tokens }) => cellOf(tag, this.parser.parseInline(tokens))).join('')}</tr>`
        const body = rows.map((cells) => line(cells, 'td')).join('\n')
        return `<div class="scroll" tabindex="0"><table class="book"><thead>${line(header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`
      },
      html({ text }) {
        if (/^<!--(?:(?!-->)[\s\S])*-->$/.test(text.trim())) return ''
        if (!/^<br ?\/?>$/.test(text.trim())) throw new Error(`HTML in a document: ${text.trim()}`)
        return '<br>'
      },
    },
  })
  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  return {
    html,
    headings: headings.filter(({ depth }) => depth <= LISTED_DEPTH),
    sections: sectionsOf(tokens, headings),
    ids,
  }
}

/** A column without a title is that of the row's names. */
function cellOf(tag: 'th' | 'td', content: string): string {
  if (tag === 'td') return `<td>${content}</td>`
  return content === '' ? '<td></td>' : `<th scope="col">${content}</th>`
}

/** A block of code with its language, by which the page offers to copy it. */
export function renderCode(text: string, info: string): string {
  const [language = ''] = info.split(' ')
  const isWide = text.split('\n').some((line) => line.length > WIDE_CODE)
  const focus = isWide ? ' tabindex="0"' : ''
  const lang = language === '' ? '' : ` data-language="${escapeHtml(language)}"`
  return `<div class="code"${lang}><pre${focus}><code>${escapeHtml(text)}</code></pre></div>\n`
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const ids = headings.values()
  const sections: Section[] = []
  const start = (id: string, heading: string) => {
    sections.push({ id, heading, text: '' })
    return [] as Token[]
  }
  let within = start('', '')
  const finish = () => {
    const last = sections.at(-1)
    if (last) last.text = plainText(within)
  }
  for (const token of tokens) {
    if (token.type === 'heading' && token['depth'] > 1) {
      finish()
      const heading = ids.next().value
      within = start(heading?.id ?? '', heading?.text ?? '')
    } else if (token.type !== 'heading') within.push(token)
  }
  finish()
  return sections
}
