import { join } from 'node:path'

const DECLARATION = /\bdefineWorker(?:<[^(]*>)?\(\s*'(src\/[^']+\.ts)'/g
const SERVED = /^serveWorker</m

/** Worker entry points found in the source. Paths are relative to the repository and sorted. */
export interface WorkerEntries {
  /** Files that a `defineWorker` declares. */
  declared: string[]
  /** Files that call `serveWorker`. */
  served: string[]
}

/** Collects the worker entry points of the repository at `root` from the source text. */
export async function findWorkerEntries(root: string): Promise<WorkerEntries> {
  const files = [...new Bun.Glob('src/**/*.ts').scanSync(root)].sort()
  const declared = new Set<string>()
  const served: string[] = []
  for (const file of files) {
    const text = await Bun.file(join(root, file)).text()
    for (const [, entry = ''] of text.matchAll(DECLARATION)) declared.add(entry)
    if (SERVED.test(text)) served.push(file)
  }
  return { declared: [...declared].sort(), served }
}
