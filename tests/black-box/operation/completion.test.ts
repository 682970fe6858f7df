import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runSvc, SVC } from '../../support/executable/service.ts'
import { absentOf, skips } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** How each shell completes the words of a line: by its own function with the state that it has at a TAB. */
const COMPLETE_IN: Record<string, (words: string[]) => string> = {
  bash: (words) => `COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}
    [[ $(complete -p svc svc-driver) == *'-F _svc svc'* ]] && _svc && printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) => `words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}
    _describe() { print -rl -- "\${(@)described%%:*}" }
    _files() { }
    _svc`,
  fish: (words) => `complete -C ${quoted(words.join(' '))} | string replace -r '\\t.*' ''`,
}

function quoted(text: string): string {
  return `'${text}'`
}

async function completeIn(shell: string, words: string[]): Promise<string[]> {
  using folder = temporaryFolder()
  const printed = await runSvc(['completion', shell], { cwd: folder.path })
  expect({ status: printed.status, err: printed.err }).toEqual({ status: 0, err: '' })
  const script = join(folder.path, 'svc.completion')
  writeFileSync(script, printed.out)
  const stub = shell === 'zsh' ? 'compdef() { }\n' : ''
  const run = Bun.spawn(
    [
      shell,
      ...(shell === 'bash' ? ['--norc'] : []),
      '-c',
      `${stub}. ${script}\n${COMPLETE_IN[shell]?.(words)}`,
    ],
    {
      cwd: folder.path,
      env: { PATH: `${dirname(SVC)}:${process.env['PATH'] ?? ''}`, HOME: folder.path },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  expect(err).toBe('')
  return out.split('\n').filter((line) => line !== '')
}

for (const shell of Object.keys(COMPLETE_IN)) {
  test.skipIf(skips(`completion in ${shell}`, absentOf(shell)))(
    `svc completion ${shell} completes commands, flags and values`,
    async () => {
      expect(await completeIn(shell, ['svc', 'ser'])).toEqual(['serve'])
      expect(await completeIn(shell, ['svc', 'driver', 'st'])).toEqual(['start'])
      expect(await completeIn(shell, ['svc', 'driver', 'start', '--operation', ''])).toEqual(
        shell === 'fish' ? ['calibrate', 'monitor', 'process'] : ['process', 'monitor', 'calibrate'],
      )
      expect((await completeIn(shell, ['svc', 'serve', '--server-'])).toSorted()).toEqual(['--server-port'])
      expect(await completeIn(shell, ['svc-driver', 'dev'])).toEqual(['devices'])
    },
  )
}

test('svc completion refuses an unknown shell', async () => {
  using folder = temporaryFolder()
  const { status, err } = await runSvc(['completion', 'tcsh'], { cwd: folder.path })
  expect(err).toContain('unknown shell tcsh; use one of bash, zsh, fish')
  expect(status).toBe(2)
})
