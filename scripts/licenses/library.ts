/** A library inside the Bun runtime, which every executable contains. */
export interface RuntimeLibrary {
  readonly name: string
  /** SPDX license expression; of alternatives, the one that applies here. */
  readonly license: string
  readonly copyright: string
  readonly source: string
  /** Key of `process.versions` that contains its version or commit. */
  readonly versionKey?: keyof NodeJS.ProcessVersions
}

/** A library of `holders`: years and names, or a sentence that begins with "none". */
export function library(
  name: string,
  license: string,
  holders: string,
  source: string,
  versionKey?: keyof NodeJS.ProcessVersions,
): RuntimeLibrary {
  const copyright = holders.startsWith('none') ? holders : `Copyright (c) ${holders}`
  return { name, license, copyright, source, ...(versionKey && { versionKey }) }
}
