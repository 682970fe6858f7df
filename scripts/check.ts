// npm run check: format and lint, source rules, types and tests, in the order that fails fastest.
import { join } from 'node:path'

const STEPS = [
  ['npm', 'run', '--silent', 'lint'],
  ['npm', 'run', '--silent', 'typecheck'],
  ['npm', 'test', '--silent'],
]

for (const step of STEPS) {
  const run = Bun.spawn(step, { cwd: join(import.meta.dir, '..'), stdio: ['ignore', 'inherit', 'inherit'] })
  if ((await run.exited) !== 0) process.exit(1)
}
