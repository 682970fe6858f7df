/**
 * Makes `svc/devices` importable by modules outside the program. The program may be a single executable,
 * whose files they cannot resolve, and errors of a second copy of the error classes would not be recognized.
 */
export async function provideSdk(): Promise<void> {
  // Few drivers import a module, and the SDK is large.
  const sdk = await import('./sdk.ts')
  Bun.plugin({
    name: 'svc/devices',
    setup: (build) => void build.module('svc/devices', () => ({ exports: sdk, loader: 'object' })),
  })
}
