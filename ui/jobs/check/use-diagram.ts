import type { Signal } from '@preact/signals'
import type { Diagram } from './check-program.ts'
import { useParsed } from './use-parsed.ts'

/** The diagram of a program, drawn after a pause in typing; undefined until then and if there is none. */
export function useDiagram(text: string, values: readonly number[]): Signal<Diagram | undefined> {
  return useParsed({ task: 'diagram', inputs: [text, values] }, undefined, [text, values.join(' ')])
}
