import type { ComponentType } from 'preact'

/** Props of a page: the values of the `:name` segments of its path. */
export interface PageProps {
  params: Record<string, string>
}

/** A page of the dashboard. */
export interface Page {
  /** Path pattern; `:name` matches one segment. */
  path: string
  title: string
  /** Shown in the rail. */
  menu?: true
  /** Required access; guests are redirected to the login and back afterwards. */
  access: 'public' | 'signed_in'
  load: () => Promise<ComponentType<PageProps>>
}
