import type { ComponentType } from 'preact'

/** What a page gets: the values of the `:name` parts of its path. */
export interface PageProps {
  params: Record<string, string>
}

/** A page of the dashboard. */
export interface Page {
  /** The form of its path; `:name` stands for one part. */
  path: string
  title: string
  /** Shown in the rail. */
  menu?: true
  /** Who may open it; guests are sent to the login and brought back. */
  access: 'public' | 'signed_in'
  load: () => Promise<ComponentType<PageProps>>
}
