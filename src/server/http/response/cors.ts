function allowedOrigin(request: Request, origins: readonly string[]): string | undefined {
  const origin = request.headers.get('origin')
  if (!origin) return undefined
  if (origins.includes('*')) return '*'
  return origins.includes(origin) ? origin : undefined
}

/** Allows pages of the configured origins to read the response. */
export function addCors(response: Response, request: Request, origins: readonly string[]): void {
  const origin = allowedOrigin(request, origins)
  if (!origin) return
  response.headers.set('access-control-allow-origin', origin)
  response.headers.append('vary', 'Origin')
}

/** The response to OPTIONS: the methods of the path, and what pages of the configured origins may send. */
export function optionsResponse(
  request: Request,
  methods: readonly string[],
  origins: readonly string[],
): Response {
  const headers = new Headers({ allow: methods.join(', ') })
  if (allowedOrigin(request, origins)) {
    headers.set('access-control-allow-methods', methods.join(', '))
    const requestedHeaders = request.headers.get('access-control-request-headers')
    headers.set('access-control-allow-headers', requestedHeaders ?? '*')
    headers.set('access-control-max-age', '600')
  }
  return new Response(null, { status: 204, headers })
}
