/**
 * Public keys of releases in the form of minisign, the present one and the next. There is none yet: whoever
 * makes the first release adds its key here, and `svc verify` asks for `--key` until then.
 */
export const RELEASE_KEYS: readonly string[] = []
