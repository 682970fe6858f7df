import { LAYERS } from '../source-rules.ts'
import { row } from './table.ts'

const HEAD = '| Folder | Content | May import |\n|---|---|---|\n'

/** `page` with its table of layers as the source rules have it. */
export function withLayers(page: string): string {
  const start = page.indexOf(HEAD)
  if (start < 0) throw new Error('CONTRIBUTING.md has no table of layers')
  const end = page.indexOf('\n\n', start)
  return `${page.slice(0, start)}${HEAD}${rows().join('\n')}${page.slice(end)}`
}

function rows(): string[] {
  return LAYERS.flatMap(({ path, imports, files = [], content }) => {
    if (content === undefined) return []
    const others = [...imports, ...files].map((name) => `\`${name}\``)
    return [row(`\`${path.replace(/\/$/, '')}\``, content, others.join(', ') || 'packages only')]
  })
}
