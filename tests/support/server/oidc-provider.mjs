// A real OpenID provider in a process of its own: `oidc-provider.mjs CLIENTS ACCOUNTS`, both JSON. It accepts
// any password, as its development pages do, and prints its address.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const clients = JSON.parse(process.argv[2] ?? '[]')
const accounts = JSON.parse(process.argv[3] ?? '{}')

const http = createServer()
http.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${http.address().port}`
  const provider = new Provider(issuer, {
    clients,
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'picture'],
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
  })
  http.on('request', provider.callback())
  console.log(issuer)
})
