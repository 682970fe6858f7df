// npm run check: lines of each layer, format and lint, source rules, types, tests; the fastest to fail first.
import { join } from 'node:path'

const STEPS = [
  ['npx', 'bun', 'run', 'scripts/check-source.ts', '--lines'],
  ['npm', 'run', '--silent', 'lint'],
  ['npm', 'run', '--silent', 'typecheck'],
  ['npm', 'test', '--silent'],
]

for (const step of STEPS) {
  const run = Bun.spawn(step, { cwd: join(import.meta.dir, '..'), stdio: ['ignore', 'inherit', 'inherit'] })
  if ((await run.exited) !== 0) process.exit(1)
}
