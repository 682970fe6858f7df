// Runs before the tests: see bunfig.toml.

import { buildKernel } from '../scripts/build-kernel.ts'
import { messageOf } from '../src/base/index.ts'

// Tests that need no simulator run without the compiler too; the others fail at their import of the kernel.
await buildKernel().catch((error: unknown) => console.error(messageOf(error)))
