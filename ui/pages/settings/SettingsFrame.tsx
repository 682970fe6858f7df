import type { ComponentChildren } from 'preact'
import { useApp } from '../../app/app.ts'
import { Heading } from '../../parts/Panel.tsx'

const SECTIONS = [
  { path: '/settings/profile', title: 'Profile' },
  { path: '/settings/tokens', title: 'API tokens' },
  { path: '/settings/webhooks', title: 'Webhooks' },
  { path: '/settings/appearance', title: 'Appearance' },
] as const

interface SettingsFrameProps {
  /** The fact that matters on this page. */
  lead?: ComponentChildren
  /** Buttons at the right end of the heading. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** Heading and sections of the settings. */
export function SettingsFrame({ lead, actions, children }: SettingsFrameProps) {
  const { router } = useApp()
  const path = router.path.value === '/settings' ? '/settings/profile' : router.path.value
  return (
    <>
      <Heading title="Settings" lead={lead}>
        {actions}
      </Heading>
      <nav class="tabs" aria-label="Sections of the settings">
        {SECTIONS.map((section) => (
          <a key={section.path} href={section.path} aria-current={section.path === path ? 'page' : undefined}>
            {section.title}
          </a>
        ))}
      </nav>
      <div class="settings stack close">{children}</div>
    </>
  )
}
