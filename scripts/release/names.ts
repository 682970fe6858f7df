/**
 * The public names of all packages. None of them is reserved on a public index yet: whoever publishes first
 * decides, here and in the manifests of the clients, which a test compares with this list.
 */
export const NAMES = {
  /** Name of deb, rpm, archives and the container image. */
  program: 'svc',
  /** Names of the wheel and the npm package that contain the program. */
  wheel: 'svc-server',
  npm: '@svc/server',
  clients: { python: 'svc-client', javascript: '@svc/client', go: 'svc.example/clients/go' },
  /** Devices in Python. */
  devices: 'svc-driver',
} as const
