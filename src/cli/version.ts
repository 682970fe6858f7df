import manifest from '../../package.json' with { type: 'json' }

/** `{year}.{month}.{patch}` of this build. */
export const version: string = manifest.version
