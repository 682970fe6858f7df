/**
 * The stored form of names of QPUs, drivers and devices: hyphens become underscores. Import paths such as
 * `./my-device.js#open` stay unchanged.
 */
export function withUnderscores(name: string): string {
  return /^[\w\s-]*$/.test(name) ? name.trim().replaceAll('-', '_') : name
}
