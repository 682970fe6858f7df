import type { Page } from '../app/page.ts'

/** The entry of the menu that a path belongs to: the longest one that is the path or a folder above it. */
export function currentEntry(pages: readonly Pick<Page, 'path'>[], path: string): string | undefined {
  return pages
    .map((page) => page.path)
    .filter((entry) => path === entry || (entry !== '/' && path.startsWith(`${entry}/`)))
    .sort((a, b) => b.length - a.length)[0]
}
