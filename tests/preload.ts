// Runs before the tests: see bunfig.toml.

import fc from 'fast-check'
import { buildKernel } from '../scripts/build-kernel.ts'
import { messageOf } from '../src/base/index.ts'

// A run is repeatable: property tests draw the same cases each time. `SVC_TEST_SEED=random` draws new ones,
// and a failure then prints the seed that repeats it.
const seed = process.env['SVC_TEST_SEED'] ?? '20261123'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

// Tests that need no simulator run without the compiler too; the others fail at their import of the kernel.
await buildKernel().catch((error: unknown) => console.error(messageOf(error)))
