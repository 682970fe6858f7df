import { dlopen, type FFIFunction } from 'bun:ffi'

/** The C library of a Linux with glibc, and of one with musl. */
const NAMES = ['libc.so.6', 'libc.so']

/**
 * Functions of the C library for what the runtime does not offer, as `dlopen` of `bun:ffi` declares them.
 * @throws Error when there is no such library, or it lacks one of the functions; also on other systems than
 *   Linux.
 */
export function openCLibrary<Functions extends Record<string, FFIFunction>>(functions: Functions) {
  let problem: unknown
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols
    } catch (error) {
      problem ??= error
    }
  }
  throw problem
}
