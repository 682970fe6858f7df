/**
 * 128 random bits in hexadecimal digits. `crypto.randomUUID` is absent from pages that are loaded without
 * TLS, from another machine of the laboratory for example.
 */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
