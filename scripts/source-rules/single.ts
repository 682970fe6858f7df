/** Something of which the product has one implementation. */
export interface SingleImplementation {
  what: string
  /** Text of a file that only an implementation contains; comments do not count. */
  pattern: RegExp
  /** Whether the pattern is about the insides of strings; those are blank otherwise. */
  isInStrings?: boolean
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
      /\b\w*(Ms|MS|[Pp]ause|[Dd]elay|[Bb]ackoff)\s*\*=?\s*2\b(?!\s*\*\*)|\*\s*2\s*\*\*\s*(Math\.min\()?\(?[\w$.#]*\b(failures?|failed|times|excess|count|attempts?|sends|tries|retries)\b|Math\.min\(\s*[\w$.#]+\s*\*\s*2\s*,/,
    home: 'src/base/portable/backoff.ts',
    use: 'backoffMs() or Backoff',
  },
  {
    what: 'time-out',
    pattern: /\bPromise\s*\.\s*race\s*\(|\bAbortSignal\s*\.\s*timeout\b/,
    home: 'src/base/concurrency/timeout.ts',
    use: 'withTimeout(), which cancels its timer and follows the injected Clock',
    except: {
      'src/cli/driver/start.ts': 'waits for the first of two ends, without a time',
      'src/cli/serve/serve.ts': 'may be stopped while it waits for another server, without a time',
      'src/server/drivers/busy-ports.ts': 'waits for the first port that closes, without a time',
    },
  },
  {
    what: 'folder lock',
    pattern: /\b(interface|class)\s+\w*Lock\b|\btype\s+\w*Lock\s*=|\bBEGIN EXCLUSIVE\b|\blocking_mode\b/,
    isInStrings: true,
    home: 'src/base/folder-lock.ts',
    use: 'takeFolderLock()',
  },
  {
    what: 'token bucket',
    pattern: /\/\s*1_?000\s*\)\s*\*\s*[\w$.#]*([Rr]ate|[Pp]erSecond)\b/,
    home: 'src/base/admission/token-bucket.ts',
    use: 'TokenBucket',
  },
  {
    what: 'worker start',
    pattern: /\bnew\s+(\w+\.)?Worker\s*\(|\beval\s*:\s*true\b/,
    home: 'src/base/concurrency/worker.ts',
    use: 'defineWorker() and startWorker()',
    except: {
      'ui/jobs/check/use-parsed.ts': 'a thread of the browser',
      'ui/jobs/ideal/use-ideal.ts': 'a thread of the browser',
    },
  },
  {
    what: 'thread with requests',
    pattern: /\bstartWorker\s*\([^{]*\{\s*onResponse\b/,
    home: 'src/base/concurrency/request-thread.ts',
    use: 'RequestThread',
    except: {
      'src/db/postgres/bridge/bridge.ts': 'waits for its thread without returning to the event loop',
      'src/db/postgres/lease/lease.ts': 'is notified by its thread, for as long as it has the lease',
      'src/simulator/batch/circuit-workers.ts':
        'sends one job to all threads, which respond once per circuit',
    },
  },
  {
    what: 'queue of turns',
    pattern: /\.delete\(\w+\)\s*;?\s*if\s*\(\w+\.length\s*>\s*0\)\s*[\w$.#]+\.set\(/,
    home: 'src/base/admission/fair-queue.ts',
    use: 'FairQueue',
  },
]
