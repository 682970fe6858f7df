/** Something of which the product has one implementation. */
export interface SingleImplementation {
  what: string
  /** Code that only an implementation contains. */
  pattern: RegExp
  /** The file that implements it, and the export that others use. */
  home: string
  use: string
  /** Files whose code looks like another implementation without being one, each with its reason. */
  except?: Readonly<Record<string, string>>
}

export const SINGLE_IMPLEMENTATIONS: readonly SingleImplementation[] = [
  {
    what: 'back-off',
    pattern:
      /\*\s*2\s*\*\*\s*(Math\.min\()?\(?[\w$.#]*\b(failures?|failed|times|excess|count|attempts?|sends|tries|retries)\b|Math\.min\(\s*[\w$.#]+\s*\*\s*2\s*,/i,
    home: 'src/base/backoff.ts',
    use: 'backoffMs() or Backoff',
    except: { 'ui/api/live.ts': 'pages do not import src/base' },
  },
  {
    what: 'time-out',
    pattern: /\bPromise\s*\.\s*race\b/,
    home: 'src/base/timeout.ts',
    use: 'withTimeout()',
    except: {
      'src/cli/driver.ts': 'waits for the first of two ends, without a time',
      'src/server/drivers/busy-ports.ts': 'waits for the first port that closes, without a time',
      'src/server/drivers/ports.ts': 'the same file before it was renamed',
    },
  },
  {
    what: 'folder lock',
    pattern: /\b(interface|class)\s+\w*Lock\b|\btype\s+\w*Lock\s*=/,
    home: 'src/base/folder-lock.ts',
    use: 'takeFolderLock()',
  },
  {
    what: 'token bucket',
    pattern: /\/\s*1_?000\)\s*\*\s*[\w$.#]*perSecond\b/i,
    home: 'src/base/token-bucket.ts',
    use: 'TokenBucket',
  },
]
