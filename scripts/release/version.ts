/** A version of svc in the forms of the package systems, which sort alike. */
export interface VersionForms {
  /** npm, tags and the program itself: `2026.12.0`, of a candidate `2026.12.0-rc.1`. */
  semver: string
  /** Python packages: `2026.12.0rc1`. */
  python: string
  /** deb and rpm: `2026.12.0~rc1`, before the release it announces. */
  linux: string
  /** The Go module: `v1.202612.0`, because a major version above 1 would be part of its path. */
  go: string
}

/**
 * The forms of `{year}.{month}.{patch}`, or of a candidate for it.
 *
 * @throws TypeError for another text; npm refuses months such as 01.
 */
export function formsOf(version: string): VersionForms {
  const [, year, month, patch, candidate] =
    /^(20\d\d)\.([1-9]|1[0-2])\.(0|[1-9]\d*)(?:-rc\.([1-9]\d*))?$/.exec(version) ?? []
  if (year === undefined || month === undefined)
    throw new TypeError(`${version} is not a version such as 2026.12.0 or 2026.12.0-rc.1`)
  const base = `${year}.${month}.${patch}`
  return {
    semver: version,
    python: candidate === undefined ? base : `${base}rc${candidate}`,
    linux: candidate === undefined ? base : `${base}~rc${candidate}`,
    go: `v1.${year}${month.padStart(2, '0')}.${patch}${candidate === undefined ? '' : `-rc.${candidate}`}`,
  }
}
