/** Threads by the file that they run, below `src` and without its ending: entry points of the executable. */
export const WORKERS = [
  'devices/simulation/circuit-worker',
  'simulator/kernel/worker',
  'server/programs/worker',
] as const

/**
 * Starts a thread. It does not keep the process alive. In the executable its file lies beside the main one, under the
 * name it has below `src`.
 */
export function startWorker(name: (typeof WORKERS)[number]): Worker {
  const isCompiled = Bun.main.startsWith('/$bunfs/')
  const source = isCompiled ? `/$bunfs/root/${name}.js` : new URL(`../${name}.ts`, import.meta.url).href
  return new Worker(source, { ref: false } as WorkerOptions)
}
