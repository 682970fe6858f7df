import { posix } from 'node:path'
import { LISTS, type List } from '../source-rules.ts'
import { codeOf, importsOf } from '../source-text.ts'
import type { Breach } from './breach.ts'

const SOURCE = /\.(ts|tsx)$/

/**
 * The members of a folder: its files, and its subfolders by their `index.ts`. A subfolder without one is a
 * kind, whose members are found in the same way.
 */
function membersOf(folder: string, files: readonly string[], list: string): string[] {
  const inside = files.filter((file) => file.startsWith(folder) && SOURCE.test(file) && file !== list)
  const present = new Set(inside)
  const subfolders = new Set<string>()
  const members: string[] = []
  for (const file of inside) {
    const [name = '', ...below] = file.slice(folder.length).split('/')
    if (below.length === 0) members.push(file)
    else subfolders.add(`${folder}${name}/`)
  }
  for (const subfolder of subfolders) {
    const face = `${subfolder}index.ts`
    members.push(...(present.has(face) ? [face] : membersOf(subfolder, inside, list)))
  }
  return members
}

/** Members of listed folders that their list does not import. `read` gives the text of a file. */
export function checkLists(
  files: readonly string[],
  read: (file: string) => string,
  lists: readonly List[] = LISTS,
): Breach[] {
  return lists.flatMap(({ list, folder }) => {
    const members = membersOf(folder, files, list)
    if (members.length === 0) return []
    const source = files.includes(list) ? read(list) : ''
    const imported = new Set(
      importsOf(source, codeOf(source)).map(({ specifier }) => posix.join(posix.dirname(list), specifier)),
    )
    return members
      .filter((member) => !imported.has(member))
      .map((member) => ({ file: list, line: 1, rule: 'list', reason: `${member} is not in the list` }))
  })
}
