// npm start: builds the executable when needed and runs its demo; further words go to the demo.
import { EXECUTABLE, ensureBuild } from './ensure-build.ts'

await ensureBuild()
const demo = Bun.spawn([EXECUTABLE, 'demo', ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => demo.kill(signal))
process.exit(await demo.exited)
