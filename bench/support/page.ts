import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'

const PAGES = join(import.meta.dir, '../../docs/benchmarks')

/** The widest vectors of the processor by name, with a comma before; empty where it does not say. */
function vectors(): string {
  if (process.arch === 'arm64') return ', NEON'
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : ''
  if (flags.includes(' avx512f ')) return ', AVX-512'
  if (flags.includes(' avx2 ')) return ', AVX2'
  return ''
}

/** Where and when figures were measured: one line under the heading of a section. */
async function origin(command: string, loadBefore: number): Promise<string> {
  const commit = (await Bun.$`git describe --always --dirty --abbrev=8`.cwd(PAGES).text()).trim()
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ')
  const processor = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}${vectors()}`
  const load = `load average ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`
  return `Written by \`${command}\` on ${date} UTC at ${commit}; ${processor}; ${load}.`
}

const WRITTEN = '\nWritten by `'

/**
 * Writes `text` under a heading of a page of `docs/benchmarks`, behind what a person wrote there, in place of
 * what a command wrote there before. @throws Error if the page has no such heading.
 */
export async function writeSection(
  page: string,
  {
    heading,
    command,
    loadBefore,
    text,
  }: Record<'heading' | 'command' | 'text', string> & { loadBefore: number },
): Promise<void> {
  const path = join(PAGES, page)
  const old = await Bun.file(path).text()
  const begin = old.indexOf(`\n## ${heading}\n`)
  if (begin < 0) throw new Error(`${page} has no section "${heading}"`)
  const next = old.indexOf('\n## ', begin + 1)
  const end = next < 0 ? old.length : next
  const [written = ''] = old.slice(begin, end).split(WRITTEN)
  const section = `${written.trimEnd()}\n\n${await origin(command, loadBefore)}\n\n${text.trim()}\n`
  await Bun.write(path, `${old.slice(0, begin)}\n${section.trimStart()}${old.slice(end)}`)
}
