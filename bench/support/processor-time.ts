import { readdirSync, readFileSync } from 'node:fs'

const isProcess = (name: string) => /^\d+$/.test(name)

/** A process and the processes below it. */
export function treeOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean),
  )
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))]
}

/** Processor time in ms that the threads of a process and of its children have used. */
export function usedMs(pid: number): number {
  let ns = 0
  for (const thread of readdirSync(`/proc/${pid}/task`).filter(isProcess)) {
    try {
      const folder = `/proc/${pid}/task/${thread}`
      ns += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0])
      const children = readFileSync(`${folder}/children`, 'utf8').trim()
      for (const child of children === '' ? [] : children.split(' ')) ns += 1e6 * usedMs(Number(child))
    } catch {
      // The thread or process has ended.
    }
  }
  return ns / 1e6
}
