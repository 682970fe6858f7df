import { folderCycles } from './folder-cycles.ts'
import { checkNames, checkPath } from './names.ts'
import { implementations } from './single.ts'
import type { SourceFile, SourceTree } from './source-tree.ts'
import { filesPerFolder } from './tree.ts'

/** Sizes of a part of the tree. */
interface Shape {
  files: number
  /** Lines of a file. */
  medianLines: number
  maxLines: number
  maxFilesPerFolder: number
}

function shapeOf(sources: readonly SourceFile[]): Shape {
  const lines = sources.map(({ source }) => source.trimEnd().split('\n').length).sort((a, b) => a - b)
  const perFolder = filesPerFolder(sources.map(({ file }) => file))
  return {
    files: sources.length,
    medianLines: lines[Math.floor(lines.length / 2)] ?? 0,
    maxLines: lines.at(-1) ?? 0,
    maxFilesPerFolder: Math.max(0, ...perFolder.values()),
  }
}

/** The structure of a tree in figures, one line each. */
export function metricsOf({ sources }: SourceTree): string[] {
  const product = sources.filter(({ file }) => /^(src|ui)\//.test(file))
  const rest = sources.filter(({ file }) => /^(tests|scripts|bench)\//.test(file))
  const cycles = folderCycles(product)
  const words = sources.flatMap((source) => [...checkPath(source.file), ...checkNames(source)])
  const shapes = Object.entries({ 'src and ui': shapeOf(product), 'tests, scripts, bench': shapeOf(rest) })
  return [
    ...shapes.map(
      ([name, { files, medianLines, maxLines, maxFilesPerFolder }]) =>
        `${name}: ${files} files, lines median ${medianLines}, max ${maxLines}; max ${maxFilesPerFolder} files per folder`,
    ),
    `cycles between folders: ${cycles.length}${cycles.map((names) => `\n  {${names.join(', ')}}`).join('')}`,
    ...[...implementations(product)].map(
      ([what, files]) =>
        `implementations of ${what}: ${files.length}${files.map((file) => `\n  ${file}`).join('')}`,
    ),
    `declared names with banned words: ${words.length}`,
  ]
}
