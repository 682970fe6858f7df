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
  /** The group of the menu that shows it, in the order of the list of pages. */
  menu?: 'main' | 'administration'
  /**
   * Who may open it: guests are redirected to the login and back afterwards, those who are signed in from a
   * page for guests to the page that they wanted, and users read that a page is for superusers only.
   */
  access: 'public' | 'guest' | 'signed_in' | 'superuser'
  /** Subjects whose style sheets, `ui/css/pages/<subject>.css`, make that of the page. */
  styles?: readonly string[]
  /** What waits on the page, as a number beside its link. */
  count?: ComponentType
  load: () => Promise<ComponentType<PageProps>>
}
