import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { copyText } from '../lib/copy-text.ts'

interface CopyButtonProps {
  text: string
  /** What is copied, such as `token`; completes the name of the button. */
  what?: string
  /** Shown in place of `Copy`. */
  label?: string
  onCopy?: () => void
}

const SHOWN_MS = 2_000

/** Copies a text and says so. */
export function CopyButton({ text, what = '', label = 'Copy', onCopy }: CopyButtonProps) {
  const state = useSignal<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state.value === 'idle') return undefined
    const timer = setTimeout(() => {
      state.value = 'idle'
    }, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state.value])
  const copy = async () => {
    const isCopied = await copyText(text)
    state.value = isCopied ? 'copied' : 'failed'
    if (isCopied) onCopy?.()
  }
  const words = { idle: label, copied: 'Copied', failed: 'Select and copy' }
  return (
    <button type="button" class="copy" onClick={copy}>
      {words[state.value]}
      {what && state.value === 'idle' && <span class="unseen"> {what}</span>}
      <span class="unseen" role="status">
        {state.value === 'copied' ? `Copied ${what}` : ''}
      </span>
    </button>
  )
}
