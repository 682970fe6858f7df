import type { Command } from './command.ts'

/** Follows the words that name commands, as far as there are such commands. */
export async function findCommand(root: Command, name: string, words: readonly string[]) {
  let path = name
  let command = root
  let count = 0
  for (const word of words) {
    const load = Object.hasOwn(command.subCommands, word) ? command.subCommands[word] : undefined
    if (!load) break
    command = await load()
    path = `${path} ${word}`
    count += 1
  }
  return { path, command, rest: words.slice(count) }
}

/** Whether it only holds other commands. */
export function isGroup({ run }: Command): boolean {
  return run === undefined
}
