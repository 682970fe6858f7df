import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const PAUSE_MS = 200
/** Longer programs are neither drawn nor evaluated, since that would delay typing. */
const MAX_LENGTH = 60_000

type Parser = typeof import('../../jobs/check/check-program.ts')

/**
 * What `derive` finds in a program, after a pause in typing; undefined until then and if there is nothing.
 * It is called again when the text or one of `inputs` has changed.
 */
export function useParsed<T>(
  text: string,
  derive: (parser: Parser) => T | undefined,
  inputs: readonly unknown[],
): Signal<T | undefined> {
  const found = useSignal<T | undefined>(undefined)
  useEffect(() => {
    if (text.length > MAX_LENGTH) {
      found.value = undefined
      return undefined
    }
    let isCurrent = true
    const read = async () => {
      const parser = await import('../../jobs/check/check-program.ts')
      if (isCurrent) found.value = derive(parser)
    }
    // Without the parser, the program itself says everything.
    const timer = setTimeout(() => void read().catch(() => undefined), found.peek() ? PAUSE_MS : 0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, ...inputs])
  return found
}
