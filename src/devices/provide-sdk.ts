import * as sdk from './sdk.ts'

/**
 * Makes `svc/devices` importable by modules outside the program. The program may be a single executable,
 * whose files they cannot resolve, and errors of a second copy of the error classes would not be recognized.
 */
export function provideSdk(): void {
  Bun.plugin({
    name: 'svc/devices',
    setup: (build) => void build.module('svc/devices', () => ({ exports: sdk, loader: 'object' })),
  })
}
