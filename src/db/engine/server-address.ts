/** A database on a server of its own, and how it is reached. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  /** Undefined where the server asks for none. */
  readonly password: string | undefined
  /** Certificates in PEM that sign the one of the server; without them the connection is not encrypted. */
  readonly rootCertificates: string | undefined
  /** Name of the sessions there, `svc` if unset. */
  readonly sessionName?: string
}

/** Where a process finds a database: a file, or a server. */
export type DatabaseSource = { readonly file: string } | { readonly server: ServerAddress }
