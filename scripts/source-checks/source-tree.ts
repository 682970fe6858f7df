import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ScannedSource, scanSource } from '../source-text.ts'

const BINARY = /\.(png|woff2?|ttf|ico|gz|br|zip|pdf|db)$/
const CHECKED = /^(src|ui|scripts|bench|tests|docs|examples|clients\/js)\/.*\.(ts|tsx|mts|js|jsx|mjs)$/
/** Generated files follow their sources. */
const GENERATED = /\.gen\.ts$/

/** A checked source file; paths are relative to the root of its tree. */
export interface SourceFile extends ScannedSource {
  file: string
  source: string
}

/** The files of one checkout, read once for all checks. */
export interface SourceTree {
  /** Every file that exists. */
  files: readonly string[]
  /** Contents of the files that hold text. */
  texts: ReadonlyMap<string, string>
  /** The source files that the rules apply to. */
  sources: readonly SourceFile[]
}

/** Tracked files and new ones that are not ignored, relative to `root`. */
export function listFiles(root: string): string[] {
  const listing = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  if (!listing.success) throw new Error(`git ls-files failed: ${listing.stderr}; run this in a git checkout`)
  return [...new Set(listing.stdout.toString().split('\0'))].filter((file) => file !== '')
}

/** Reads `listed`, given as paths relative to `root`; absent files are left out. */
export async function readTree(root: string, listed: readonly string[]): Promise<SourceTree> {
  const files = listed.filter((file) => existsSync(join(root, file)))
  const texts = new Map<string, string>()
  await Promise.all(
    files.map(async (file) => {
      const handle = Bun.file(join(root, file))
      if (handle.size > 0 && !BINARY.test(file)) texts.set(file, await handle.text())
    }),
  )
  const sources = [...texts].flatMap(([file, source]) =>
    CHECKED.test(file) && !GENERATED.test(file) ? [{ file, source, ...scanSource(source) }] : [],
  )
  return { files, texts, sources }
}
