import { MINUTE_MS } from '../../src/base/portable/units.ts'

/** Hands a file to the browser to be saved. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser reads the file after the click; a revoked address would end the download.
  setTimeout(() => URL.revokeObjectURL(link.href), MINUTE_MS)
}
