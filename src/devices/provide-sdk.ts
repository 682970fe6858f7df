import * as sdk from './sdk.ts'

/**
 * Makes `svc/devices` importable by modules outside the program. The program may be one executable, so they cannot
 * find its files, and a second copy of the error classes would not be recognised.
 */
export function provideSdk(): void {
  Bun.plugin({
    name: 'svc/devices',
    setup: (build) => void build.module('svc/devices', () => ({ exports: sdk, loader: 'object' })),
  })
}
