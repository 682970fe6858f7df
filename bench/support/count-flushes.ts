import { join } from 'node:path'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { treeOf } from './processor-time.ts'

const CALLS = ['fsync', 'fdatasync', 'msync', 'sync_file_range']

/**
 * How often processes, with all threads and children, flush files during `work`. `strace`
 * slows them down, so nothing is timed meanwhile. NaN without `strace`.
 */
export async function countFlushes(pids: readonly number[], work: () => Promise<unknown>): Promise<number> {
  if (pids.length === 0 || !Bun.which('strace')) return Number.NaN
  using folder = temporaryFolder()
  const path = join(folder.path, 'calls')
  const traced = pids.flatMap(treeOf)
  const given = traced.flatMap((pid) => ['-p', String(pid)])
  const tracer = Bun.spawn(['strace', '-f', '-e', `trace=${CALLS.join(',')}`, '-o', path, ...given], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // It says that it has attached to each process.
  const said = tracer.stderr.getReader()
  for (let text = ''; text.split('attached').length <= traced.length; ) {
    const { value, done } = await said.read()
    if (done) return Number.NaN
    text += new TextDecoder().decode(value)
  }
  said.releaseLock()
  await work()
  tracer.kill('SIGINT')
  await tracer.exited
  const text = await Bun.file(path).text()
  // A call that others interrupt has a second line, `<... resumed>`.
  return text.split('\n').filter((line) => CALLS.some((call) => line.includes(` ${call}(`))).length
}
