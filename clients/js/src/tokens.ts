import type { ApiToken, NewApiToken, PatchTokensByIdBody, PostTokensBody } from './generated/wire.gen.ts'
import type { Transport } from './transport.ts'

/** The API tokens of the account. */
export class Tokens {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Creates a token; its text is in this response only. */
  create(body: PostTokensBody = {}): Promise<NewApiToken> {
    return this.#transport.request('POST', '/api/tokens', { body })
  }

  /** The tokens, without their texts. */
  list(): Promise<ApiToken[]> {
    return this.#transport.request('GET', '/api/tokens')
  }

  /** Changes the given fields of a token. */
  update(id: string, body: PatchTokensByIdBody): Promise<ApiToken> {
    return this.#transport.request('PATCH', `/api/tokens/${encodeURIComponent(id)}`, {
      body,
      isRepeatable: true,
    })
  }

  /** Deletes a token, which is not valid any more. */
  async delete(id: string): Promise<void> {
    await this.#transport.request('DELETE', `/api/tokens/${encodeURIComponent(id)}`)
  }
}
