interface Page {
  title: string
  /** Markup; text from outside must be escaped with `Bun.escapeHTML`. */
  body: string
  status?: number
  /** The only script that is allowed to run. */
  script?: string
}

const STYLE = `:root{color-scheme:light dark;font:1.0625rem/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:12vh auto;padding:0 1rem}
label,input,button{display:block;font:inherit}
input{box-sizing:border-box;width:100%;margin:.25rem 0 1rem;padding:.5rem}
button{padding:.5rem 1rem}`

const sourceOf = (text: string) => `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`

/**
 * A small page that works without the dashboard. Its policy admits only its own style and script, by their
 * hashes.
 */
export function htmlPage({ title, body, script = '', status = 200 }: Page): Response {
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(STYLE)}`,
    ...(script === '' ? [] : [`script-src ${sourceOf(script)}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`
  const code = script === '' ? '' : `<script>${script}</script>`
  const text = `<!doctype html><html lang="en"><head>${head}<style>${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main>${code}</body></html>`
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  })
}
