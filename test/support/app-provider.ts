/** A fake OAuth 2 provider with an API behind its tokens: single-use refresh tokens, PKCE, and misbehavior. */
import { Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { httpUpstream, type Received } from "./upstream.ts"

export const client = { client_id: "client-1", client_secret: "s3cret-of-the-client" }

/** What the token endpoint does with its next call. */
export type Misbehavior =
  | "cut"
  | "duplicate"
  | "error200"
  | "html"
  | "huge"
  | "list"
  | "no_token"
  | "not_ok"
  | "redirect"
  | "unavailable"

export interface ProviderOptions {
  readonly basic?: boolean
  readonly json?: boolean
  readonly pkce?: boolean
  /** Where redirects lead. */
  readonly elsewhere?: string
  readonly expiresIn?: number | string
  /** Changes the successful answers of the token endpoint. */
  readonly shape?: (answer: Record<string, unknown>) => unknown
}

export const appProvider = (options: ProviderOptions = {}) =>
  Effect.gen(function*() {
    const codes = new Map<string, { readonly challenge: string | null; readonly scope: string | null }>()
    const access = new Set<string>()
    const refresh = new Set<string>()
    const next: Array<Misbehavior> = []
    const revoked: Array<string> = []
    const grants: Array<string> = []
    const forgiven = new Set<string>()
    let gate: Promise<void> = Promise.resolve()
    let arrived: () => void = () => {}
    let apiStatus: number | undefined

    const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(
        typeof body === "string" ? body : JSON.stringify(body)
      )

    const fieldsOf = ({ body, headers }: Received): Record<string, string> =>
      headers["content-type"]?.startsWith("application/json") === true
        ? JSON.parse(body)
        : Object.fromEntries(new URLSearchParams(body))

    const isClient = (request: Received, fields: Record<string, string>): boolean =>
      options.basic === true
        ? request.headers.authorization ===
            `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString("base64")}` &&
          fields["client_secret"] === undefined
        : fields["client_id"] === client.client_id && fields["client_secret"] === client.client_secret

    const misbehave = (response: ServerResponse, how: Misbehavior) => {
      switch (how) {
        case "cut":
          return void response.socket?.destroy()
        case "duplicate":
          return answer(response, 200, `{"access_token":"one","access_token":"two"}`)
        case "error200":
          return answer(response, 200, { error: "bad_verification_code", error_description: "The code is wrong." })
        case "html":
          return answer(response, 200, "<html>Sign in</html>", { "content-type": "text/html" })
        case "huge":
          return answer(response, 200, `{"access_token":"${"x".repeat(600_000)}"}`)
        case "list":
          return answer(response, 200, [{ access_token: "one" }])
        case "no_token":
          return answer(response, 200, { token_type: "bearer" })
        case "not_ok":
          return answer(response, 200, { ok: false, error: "invalid_code" })
        case "redirect":
          return answer(response, 302, "", { location: options.elsewhere ?? "http://127.0.0.1:1/" })
        case "unavailable":
          return answer(response, 503, { error: "temporarily_unavailable" })
      }
    }

    const issue = (response: ServerResponse, scope: string | null) => {
      const tokens = { access: `at-${randomUUID()}`, refresh: `rt-${randomUUID()}` }
      access.add(tokens.access)
      refresh.add(tokens.refresh)
      const plain = {
        access_token: tokens.access,
        refresh_token: tokens.refresh,
        token_type: "Bearer",
        expires_in: options.expiresIn ?? 3_600,
        ...scope === null ? {} : { scope }
      }
      answer(response, 200, options.shape === undefined ? plain : options.shape(plain))
    }

    const token = (request: Received, response: ServerResponse) => {
      const fields = fieldsOf(request)
      grants.push(fields["grant_type"] ?? "")
      const how = next.shift()
      if (how !== undefined) return misbehave(response, how)
      if (!isClient(request, fields)) return answer(response, 401, { error: "invalid_client" })
      if (fields["grant_type"] === "refresh_token") {
        const sent = fields["refresh_token"] ?? ""
        const known = refresh.delete(sent) || forgiven.delete(sent)
        return known ? issue(response, null) : answer(response, 400, { error: "invalid_grant" })
      }
      const code = codes.get(fields["code"] ?? "")
      codes.delete(fields["code"] ?? "")
      const challenge = createHash("sha256").update(fields["code_verifier"] ?? "").digest("base64url")
      if (code === undefined || (code.challenge !== null && code.challenge !== challenge)) {
        return answer(response, 400, { error: "invalid_grant" })
      }
      return issue(response, code.scope)
    }

    const signIn = (authorizeUrl: string): string => {
      const asked = new URL(authorizeUrl).searchParams
      const code = randomUUID()
      codes.set(code, { challenge: asked.get("code_challenge"), scope: asked.get("scope") })
      return `?${new URLSearchParams({ code, state: asked.get("state") ?? "", session_state: "x" }).toString()}`
    }

    const upstream = yield* httpUpstream((request, response) => {
      const path = request.url.split("?")[0] ?? ""
      // The person agrees at once.
      if (path === "/authorize") {
        const address = `http://127.0.0.1${request.url}`
        const back = new URL(address).searchParams.get("redirect_uri") ?? ""
        return answer(response, 302, "", { location: `${back}${signIn(address)}` })
      }
      if (path === "/token") {
        arrived()
        return void gate.then(() => token(request, response))
      }
      if (path === "/revoke") {
        if (next[0] === "unavailable") return misbehave(response, next.shift() ?? "unavailable")
        const sent = fieldsOf(request)["token"] ?? ""
        revoked.push(sent)
        refresh.delete(sent)
        return answer(response, 200, {})
      }
      const bearer = request.headers.authorization?.slice("Bearer ".length) ?? ""
      if (!access.has(bearer)) return answer(response, 401, { error: `unknown ${bearer}` })
      if (path === "/me") return answer(response, 200, [{ name: "ada@example.test", id: "cloud-7" }])
      answer(response, apiStatus ?? 200, { path: request.url, token: bearer })
    })

    return {
      origin: upstream.origin,
      host: `127.0.0.1:${upstream.port}`,
      received: upstream.received,
      /** The calls of the API behind the tokens. */
      calls: () => upstream.received.filter(({ url }) => url.startsWith("/api")),
      grants,
      revoked,
      misbehave: (...how: ReadonlyArray<Misbehavior>) => void next.push(...how),
      /** The API rejects the access tokens of now. */
      expireAccess: () => access.clear(),
      /** Calls that arrived before a revocation are answered as if it had come later. */
      keepRevoked: () => revoked.forEach((token) => forgiven.add(token)),
      /** The provider ends the grant. */
      endGrant: () => refresh.clear(),
      answerApi: (status: number | undefined) => {
        apiStatus = status
      },
      /** Token calls wait until `open`; `first` resolves when one has arrived. */
      close: () => {
        let open = () => {}
        gate = new Promise((done) => {
          open = done
        })
        const first = new Promise<void>((done) => {
          arrived = done
        })
        return { first, open: () => open() }
      },
      /** Signs in at the provider and returns the query of the callback. */
      signIn,
      definition: {
        authorize_url: `${upstream.origin}/authorize`,
        token_url: `${upstream.origin}/token`,
        revoke: { method: "POST", url: `${upstream.origin}/revoke` },
        scopes: { default: ["read", "write"] },
        hosts: [`127.0.0.1:${upstream.port}`],
        ...options.basic === true ? { client_auth: "basic" } : {},
        ...options.json === true ? { body: "json" } : {},
        ...options.pkce === undefined ? {} : { pkce: options.pkce }
      }
    }
  })
