/**
 * Command line of a part of the service that runs in a process of its own: the hidden command `name` of the
 * executable, or the file `source` when the service runs from source.
 */
export function ownCommand(name: string, source: string): string[] {
  const isCompiled = Bun.main.startsWith('/$bunfs/')
  return [process.execPath, isCompiled ? name : source]
}
