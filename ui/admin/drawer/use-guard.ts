import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { useConfirm } from '../../parts/use-confirm.ts'

/** Keeps changes that were not saved from being lost without a question. */
export interface Guard {
  /** Says how to find out whether there are such changes; undefined when the form is gone. */
  watch(isDirty: (() => boolean) | undefined): void
  /** Asks if there are; true when they may be dropped. */
  mayLeave(): Promise<boolean>
}

/** Guards the changes of a form against links, against the end of the page, and against its own buttons. */
export function useGuard(): Guard {
  const { router } = useApp()
  const confirm = useConfirm()
  const dirty = useRef<(() => boolean) | undefined>(undefined)
  const guard = useMemo(
    (): Guard => ({
      watch(isDirty) {
        dirty.current = isDirty
      },
      async mayLeave() {
        if (!dirty.current?.()) return true
        const drops = await confirm({
          title: 'Discard the changes?',
          body: 'They have not been saved.',
          action: 'Discard',
          tone: 'bad',
        })
        if (drops) dirty.current = undefined
        return drops
      },
    }),
    [],
  )
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (dirty.current?.()) event.preventDefault()
    }
    // Before the router sees the click.
    const onClick = (event: MouseEvent) => {
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || !dirty.current?.()) return
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith('/_/')) return
      event.preventDefault()
      event.stopPropagation()
      const to = link.pathname + link.search
      void guard.mayLeave().then((leaves) => {
        if (leaves) router.go(to)
      })
    }
    addEventListener('beforeunload', onUnload)
    document.addEventListener('click', onClick, true)
    return () => {
      removeEventListener('beforeunload', onUnload)
      document.removeEventListener('click', onClick, true)
    }
  }, [])
  return guard
}
