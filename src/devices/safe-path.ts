import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The folders by which a path is resolved and checked. */
export interface PathContext {
  cwd: string
  home: string
}

/** Maximum number of links followed in one path, as in the Linux kernel; more count as a loop. */
const MAX_LINKS = 40

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/**
 * Follows symbolic links in the existing part of `path` and appends the rest. A dangling link is followed
 * too: a file created through it would appear at its target. Returns undefined when links form a loop.
 */
function followLinks(path: string, links = 0): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    if (links > MAX_LINKS) return undefined
    const target = linkTarget(path)
    if (target !== undefined) return followLinks(resolve(dirname(path), target), links + 1)
    const parent = dirname(path)
    if (parent === path) return path
    const realParent = followLinks(parent, links)
    return realParent === undefined ? undefined : join(realParent, basename(path))
  }
}

function isInside(path: string, folder: string): boolean {
  const rest = relative(folder, path)
  return rest === '' || !(rest === '..' || rest.startsWith(`..${sep}`) || isAbsolute(rest))
}

/** Why a path is refused that {@link checkSafePath} does not accept. */
export function notSafe(path: string): string {
  return `${path} is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder`
}

/**
 * The absolute path of `path`, when it is `/var/svc-driver` or `/etc/svc-driver` or under them, or strictly
 * under `/tmp`, `/var/tmp` or the home folder; undefined otherwise. Links are followed first, on both sides,
 * and whole path segments are compared.
 */
export function checkSafePath(path: string, place: PathContext): string | undefined {
  const absolute = resolve(place.cwd, path)
  const real = followLinks(absolute)
  if (real === undefined) return undefined
  const own = ['/var/svc-driver', '/etc/svc-driver'].map((folder) => followLinks(folder) ?? folder)
  const shared = ['/tmp', '/var/tmp', place.home]
    .filter((folder) => isAbsolute(folder) && folder !== '/')
    .map((folder) => followLinks(folder) ?? folder)
  const isSafe =
    own.some((folder) => isInside(real, folder)) ||
    shared.some((folder) => real !== folder && isInside(real, folder))
  return isSafe ? absolute : undefined
}
