import { useEffect, useRef } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { useConfirm } from '../../parts/use-confirm.ts'

/** Lets the user leave without being asked. */
interface LeaveGuard {
  release(): void
}

/** Asks once before a link is followed while a token has neither been copied nor saved. */
export function useLeaveGuard(isNeeded: boolean): LeaveGuard {
  const { router } = useApp()
  const confirm = useConfirm()
  const isReleased = useRef(false)
  useEffect(() => {
    if (!isNeeded) return undefined
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const leaves = link && !link.target && !link.download && link.pathname !== location.pathname
      if (isReleased.current || !leaves || event.button !== 0 || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      event.stopPropagation()
      const to = link.pathname + link.search
      const question = {
        title: 'Have you saved the token?',
        body: 'It is not shown again. Without it you need a new token to start the driver.',
        action: 'Leave without it',
      }
      void confirm(question).then((agreed) => {
        if (!agreed) return
        isReleased.current = true
        router.go(to)
      })
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!isReleased.current) event.preventDefault()
    }
    document.addEventListener('click', onClick, { capture: true })
    addEventListener('beforeunload', onUnload)
    return () => {
      document.removeEventListener('click', onClick, { capture: true })
      removeEventListener('beforeunload', onUnload)
    }
  }, [isNeeded])
  return {
    release() {
      isReleased.current = true
    },
  }
}
