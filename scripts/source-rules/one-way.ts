interface Rule {
  pattern: RegExp
  where: RegExp
  reason: string
}

/** Each of these is implemented once, in `src/base`. */
export const SINGLE_IMPLEMENTATIONS: readonly Rule[] = [
  {
    pattern: /\b\w*(?:Ms|MS|[Pp]ause|[Dd]elay|[Bb]ackoff)\s*\*=?\s*2\b/g,
    where: /^src\/(?!base\/backoff\.ts$)/,
    reason: 'use backoffMs() or Backoff of src/base for pauses that double',
  },
  {
    // The two exceptions wait for the first of several promises, without a time limit.
    pattern: /\bPromise\s*\.\s*race\s*\(|\bAbortSignal\s*\.\s*timeout\b/g,
    where: /^src\/(?!base\/timeout\.ts$|cli\/driver\.ts$|server\/drivers\/busy-ports\.ts$)/,
    reason: 'use withTimeout() of src/base, which cancels its timer and follows the injected Clock',
  },
  {
    pattern: /\/\s*1_?000\s*\)\s*\*\s*[\w.#]*(?:[Rr]ate|[Pp]erSecond)\b/g,
    where: /^src\/(?!base\/token-bucket\.ts$)/,
    reason: 'use TokenBucket of src/base',
  },
  {
    pattern: /\bnew\s+(?:\w+\.)?Worker\s*\(|\beval\s*:\s*true\b/g,
    where: /^src\/(?!base\/worker\.ts$)/,
    reason: 'declare the file with defineWorker() and start it with startWorker()',
  },
]

/** The same for text inside strings. */
export const SINGLE_IMPLEMENTATION_TEXTS: readonly Rule[] = [
  {
    pattern: /\bBEGIN EXCLUSIVE\b|\blocking_mode\b/g,
    where: /^src\/(?!base\/folder-lock\.ts$)/,
    reason: 'lock a folder with takeFolderLock() of src/base',
  },
]
