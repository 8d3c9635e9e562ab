/** Sign-in of MCP clients. Spec: reference/mcp.md "Sign-in". */
import { assert, layer } from "@effect/vitest"
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"
import { request } from "undici"
import { makeAuthority } from "../../support/authority.ts"
import { expectStatus, HubTest, makeAgent, startHub, TestHub, topUp } from "../../support/hub.ts"
import { makePerson } from "../../support/people.ts"

const redirectUri = "http://127.0.0.1:4999/callback"

interface Served {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** An https server of metadata documents on loopback, which this process trusts until the scope closes. */
const documentServer = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const authority = makeAuthority("document test")
      const before = tls.getCACertificates("default")
      tls.setDefaultCACertificates([...before, authority.pem])
      const documents = new Map<string, Served>()
      const received: Array<string> = []
      const server = createServer(authority.server, (request, response) => {
        const path = request.url ?? ""
        received.push(path)
        const { body, headers = { "content-type": "application/json" }, status = 200 } = documents.get(path) ??
          { status: 404, body: "" }
        response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body))
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      return { before, server, served: { documents, origin, received } }
    }),
    ({ before, server }) =>
      Effect.promise(() =>
        new Promise<void>((done) => {
          tls.setDefaultCACertificates(before)
          server.close(() => done())
          server.closeAllConnections()
        })
      )
  ),
  ({ served }) => served
)

/** The storage of a client without any credential. `decide` is the person in the browser. */
const signInProvider = (decide: (url: URL) => Promise<URL>, clientMetadataUrl?: string) => {
  let information: unknown
  let tokens: unknown
  let verifier = ""
  let code: string | undefined
  const provider = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: "Test client", redirect_uris: [redirectUri] },
    ...clientMetadataUrl === undefined ? {} : { clientMetadataUrl },
    clientInformation: () => information,
    saveClientInformation: (saved: unknown) => void (information = saved),
    tokens: () => tokens,
    saveTokens: (saved: unknown) => void (tokens = saved),
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved: string) => void (verifier = saved),
    redirectToAuthorization: async (url: URL) => {
      code = (await decide(url)).searchParams.get("code") ?? undefined
    }
  }
  return {
    provider: provider as unknown as OAuthClientProvider,
    code: () => code ?? "",
    id: () => (information as { readonly client_id: string }).client_id,
    tokens: () => tokens as { readonly access_token: string; readonly refresh_token: string }
  }
}

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "sign-in of MCP clients",
  (it) => {
    const world = Effect.gen(function*() {
      const hub = yield* TestHub
      const send = (
        method: string,
        path: string,
        { cookie, form, headers, json }: {
          readonly cookie?: string
          readonly form?: Record<string, string>
          readonly json?: unknown
          readonly headers?: Record<string, string>
        } = {}
      ) =>
        Effect.promise(async () => {
          const answer = await request(`${hub.url}${path}`, {
            method: method as "GET",
            headers: {
              ...cookie === undefined ? {} : { cookie },
              ...json === undefined ? {} : { "content-type": "application/json" },
              ...form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" },
              ...headers
            },
            ...json === undefined
              ? form === undefined ? {} : { body: new URLSearchParams(form).toString() }
              : { body: JSON.stringify(json) }
          })
          const text = await answer.body.text()
          const type = String(answer.headers["content-type"])
          return {
            status: answer.statusCode,
            headers: answer.headers,
            // eslint-disable-next-line typescript/no-explicit-any
            body: (type.includes("json") && text !== "" ? JSON.parse(text) : {}) as any
          }
        })
      const register = (uris: ReadonlyArray<string> = [redirectUri]) =>
        send("POST", "/oauth/register", { json: { client_name: "Test", redirect_uris: uris } })
      const resource = `${hub.url}/mcp`
      const verifier = randomBytes(32).toString("base64url")
      const challenge = createHash("sha256").update(verifier).digest("base64url")
      const asked = (client: string, more: Record<string, string> = {}) => ({
        response_type: "code",
        client_id: client,
        redirect_uri: redirectUri,
        code_challenge: challenge,
        code_challenge_method: "S256",
        resource,
        state: "s1",
        ...more
      })
      const decide = (client: string, agent: string, more: Record<string, string> = {}, cookie = hub.owner.cookie) =>
        send("POST", "/oauth/authorize", {
          cookie,
          json: { ...asked(client, more), agent_id: agent, decision: "approve", ...more }
        })
      const exchange = (client: string, code: string, more: Record<string, string> = {}) =>
        send("POST", "/oauth/token", {
          form: {
            grant_type: "authorization_code",
            client_id: client,
            code,
            redirect_uri: redirectUri,
            code_verifier: verifier,
            resource,
            ...more
          }
        })
      const refresh = (client: string, token: string) =>
        send("POST", "/oauth/token", { form: { grant_type: "refresh_token", client_id: client, refresh_token: token } })
      const codeOf = (answer: { readonly body: { readonly redirect_to: string } }) =>
        new URL(answer.body.redirect_to).searchParams.get("code") ?? ""
      /** Signs in a new client for an agent. */
      const signIn = (agent: string) =>
        Effect.gen(function*() {
          const client: string = (yield* register()).body.client_id
          const tokens = expectOk(yield* exchange(client, codeOf(yield* decide(client, agent)))).body
          return { client, access: tokens.access_token as string, refresh: tokens.refresh_token as string }
        })
      const mcp = (token: string) =>
        send("POST", "/mcp", {
          json: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
          headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" }
        })
      return { ...hub, send, register, asked, decide, exchange, refresh, codeOf, signIn, mcp, resource }
    })
    const expectOk = <A extends { readonly status: number; readonly body: unknown }>(answer: A): A => {
      if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer
    }

    for (const kind of ["registered", "with a metadata document"] as const) {
      it.effect(`takes the official client from the address alone to a call (${kind})`, () =>
        Effect.gen(function*() {
          const { owner, send, url } = yield* world
          const { documents, origin } = yield* documentServer
          const document = `${origin}/client.json`
          documents.set("/client.json", {
            body: { client_id: document, client_name: "Test client", redirect_uris: [redirectUri] }
          })
          const hub = yield* TestHub
          yield* topUp(hub, hub.owner, 100)
          const { id } = yield* makeAgent(hub, hub.owner)
          const known = signInProvider(async (asked) => {
            const query = Object.fromEntries(asked.searchParams)
            assert.strictEqual(asked.origin + asked.pathname, `${url}/oauth/authorize`)
            const page = await Effect.runPromise(
              send("GET", `/oauth/client?${asked.searchParams}`, { cookie: owner.cookie })
            )
            assert.strictEqual(page.body.client_name, "Test client")
            const { body } = await Effect.runPromise(
              send("POST", "/oauth/authorize", {
                cookie: owner.cookie,
                json: { ...query, agent_id: id, decision: "approve" }
              })
            )
            return new URL(body.redirect_to)
          }, kind === "registered" ? undefined : document)
          const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: known.provider })
          yield* Effect.promise(async () => {
            const first = new Client({ name: "test", version: "1" })
            const transport = open()
            await first.connect(transport).catch(() => {})
            await transport.finishAuth(known.code())
            const client = new Client({ name: "test", version: "1" })
            await client.connect(open())
            const { tools } = await client.listTools()
            assert.deepStrictEqual(tools.map(({ name }) => name), ["echo__say", "wait"])
            const { structuredContent } = await client.callTool({ name: "echo__say", arguments: { text: "hi" } })
            assert.strictEqual((structuredContent as { readonly status: string }).status, "executed")
            await client.close()
          })
          assert.strictEqual(known.id() === document, kind !== "registered")
          const used = expectStatus(yield* hub.api("GET", "/tokens", { cookie: owner.cookie }), 200).body.data[0]
          assert.deepStrictEqual([used.kind, used.name, used.agent.id], ["oauth", "Test client", id])
        }))
    }

    it.effect("publishes both metadata documents, and names them in the 401 of /mcp", () =>
      Effect.gen(function*() {
        const { resource, send, url } = yield* world
        const protectedBy = yield* send("GET", "/.well-known/oauth-protected-resource/mcp")
        assert.deepStrictEqual([protectedBy.body.resource, protectedBy.body.authorization_servers], [resource, [url]])
        assert.deepStrictEqual((yield* send("GET", "/.well-known/oauth-protected-resource")).body, protectedBy.body)
        const server = (yield* send("GET", "/.well-known/oauth-authorization-server")).body
        assert.deepStrictEqual([server.issuer, server.code_challenge_methods_supported, server.token_endpoint], [
          url,
          ["S256"],
          `${url}/oauth/token`
        ])
        assert.isTrue(server.client_id_metadata_document_supported)
        const refused = yield* send("POST", "/mcp", { json: {} })
        assert.include(
          String(refused.headers["www-authenticate"]),
          `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`
        )
      }))

    it.effect("registers only clients whose addresses are safe, and asks only for registered ones", () =>
      Effect.gen(function*() {
        const { asked, codeOf, decide, register, send } = yield* world
        const hub = yield* TestHub
        const { id } = yield* makeAgent(hub, hub.owner)
        for (
          const uri of ["http://example.com/cb", "cursor://cb", "https://a.test/#x", "https://u:p@a.test/", "nonsense"]
        ) {
          const refused = yield* register([uri])
          assert.deepStrictEqual([refused.status, refused.body.error], [400, "invalid_redirect_uri"], uri)
        }
        assert.strictEqual((yield* register([])).status, 400)
        const made = yield* register()
        assert.deepStrictEqual([made.status, made.body.token_endpoint_auth_method], [201, "none"])
        const client: string = made.body.client_id
        // Another port of loopback is the same client; another path is not.
        const port = { redirect_uri: "http://127.0.0.1:5001/callback" }
        assert.isNotEmpty(codeOf(yield* decide(client, id, port)))
        const query = (more: Record<string, string>) => `/oauth/authorize?${new URLSearchParams(asked(client, more))}`
        assert.strictEqual((yield* send("GET", query({ redirect_uri: "http://127.0.0.1:4999/other" }))).status, 400)
        assert.strictEqual((yield* send("GET", query({ client_id: "client_none" }))).status, 401)
        const back = yield* send("GET", query({ code_challenge_method: "plain" }))
        assert.strictEqual(back.status, 302)
        const location = new URL(String(back.headers["location"]))
        assert.deepStrictEqual(
          [location.searchParams.get("error"), location.searchParams.get("state")],
          ["invalid_request", "s1"]
        )
        for (const wrong of [{ resource: "https://other.test/mcp" }, { response_type: "token" }]) {
          assert.strictEqual((yield* decide(client, id, wrong as unknown as Record<string, string>)).status, 400)
        }
        const { resource: _, ...without } = asked(client)
        const unaimed = yield* send("POST", "/oauth/authorize", {
          cookie: hub.owner.cookie,
          json: { ...without, agent_id: id, decision: "approve" }
        })
        assert.deepStrictEqual([unaimed.status, unaimed.body.error], [400, "invalid_target"])
      }))

    it.effect("takes a client's metadata from its own address, again after a while, and refuses every other document", () =>
      Effect.gen(function*() {
        const { asked, codeOf, decide, exchange, mcp, send } = yield* world
        const hub = yield* TestHub
        const { id: agent } = yield* makeAgent(hub, hub.owner)
        const { documents, origin, received } = yield* documentServer
        const client = `${origin}/app/client.json`
        const document = { client_id: client, client_name: "Desk", redirect_uris: [redirectUri] }
        const put = (body: unknown, more: Partial<Served> = {}) => documents.set("/app/client.json", { body, ...more })
        const ask = (of = client) =>
          send("GET", `/oauth/client?${new URLSearchParams(asked(of))}`, { cookie: hub.owner.cookie })
        const outdate = hub.run(Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`update oauth_clients set document_until = now() where id = ${client}`
        }))
        const refusals: ReadonlyArray<readonly [body: unknown, error: string, more?: Partial<Served>]> = [
          [{ ...document, client_id: `${origin}/other.json` }, "invalid_client_metadata"],
          [{ ...document, client_id: undefined }, "invalid_client_metadata"],
          [{ ...document, client_secret: "x" }, "invalid_client_metadata"],
          [{ ...document, token_endpoint_auth_method: "private_key_jwt" }, "invalid_client_metadata"],
          [{ ...document, grant_types: ["client_credentials"] }, "invalid_client_metadata"],
          [{ ...document, response_types: ["token"] }, "invalid_client_metadata"],
          [{ ...document, redirect_uris: ["http://example.com/cb"] }, "invalid_redirect_uri"],
          [{ ...document, redirect_uris: [] }, "invalid_redirect_uri"],
          [[document], "invalid_client_metadata"],
          ["not json", "invalid_client"],
          ["", "invalid_client"],
          [document, "invalid_client", { status: 404 }],
          [document, "invalid_client", { headers: { "content-type": "text/html" } }],
          [{ ...document, filler: "x".repeat(20_000) }, "invalid_client"],
          ["", "invalid_client", { status: 302, headers: { location: `${origin}/moved.json` } }]
        ]
        documents.set("/moved.json", { body: document })
        for (const [body, error, more] of refusals) {
          put(body, more)
          const refused = yield* ask()
          assert.strictEqual(refused.body.error, error, JSON.stringify([body, more]).slice(0, 200))
        }
        for (
          const address of [
            client.replace("https:", "http:"),
            `${origin}/`,
            `${origin}/app/../app/client.json`,
            `${client}#x`,
            client.replace("https://", "https://u:p@"),
            // Not an address that may be called: of a machine in the hub's network.
            "https://10.0.0.1/client.json"
          ]
        ) {
          const refused = yield* ask(address)
          assert.strictEqual(refused.body.error, "invalid_client", address)
          assert.notInclude(refused.body.error_description, "private")
        }
        const reads = received.length
        put(document)
        assert.strictEqual((yield* ask()).body.client_name, "Desk")
        put({ ...document, client_name: "Renamed", redirect_uris: [redirectUri, "https://desk.test/cb"] })
        assert.strictEqual((yield* ask()).body.client_name, "Desk")
        assert.strictEqual(received.length, reads + 1)
        yield* outdate
        assert.strictEqual((yield* ask()).body.client_name, "Renamed")
        const code = codeOf(yield* decide(client, agent))
        // A sign-in outlives the document: only a new one reads it.
        documents.clear()
        yield* outdate
        const tokens = expectOk(yield* exchange(client, code)).body
        assert.strictEqual((yield* mcp(tokens.access_token)).status, 200)
        assert.strictEqual((yield* ask()).body.error, "invalid_client")
      }))

    it.effect("lets only a person decide, for an agent that the person may use", () =>
      Effect.gen(function*() {
        const { asked, decide, register, send } = yield* world
        const hub = yield* TestHub
        const { id } = yield* makeAgent(hub, hub.owner)
        const client: string = (yield* register()).body.client_id
        const json = { ...asked(client), agent_id: id, decision: "approve" }
        assert.strictEqual((yield* send("POST", "/oauth/authorize", { json })).status, 401)
        const foreign = yield* send("POST", "/oauth/authorize", {
          json,
          cookie: hub.owner.cookie,
          headers: { origin: "https://evil.example" }
        })
        assert.deepStrictEqual([foreign.status, foreign.body.error], [403, "access_denied"])
        const viewer = yield* makePerson(hub, hub.owner.org, "viewer")
        assert.strictEqual((yield* decide(client, id, {}, viewer.cookie)).status, 403)
        const member = yield* makePerson(hub, hub.owner.org, "member")
        assert.strictEqual((yield* decide(client, id, {}, member.cookie)).status, 404)
        const denied = yield* decide(client, id, { decision: "deny" })
        const to = new URL(denied.body.redirect_to)
        assert.deepStrictEqual(
          [to.searchParams.get("error"), to.searchParams.get("state"), to.searchParams.has("iss")],
          [
            "access_denied",
            "s1",
            true
          ]
        )
      }))

    it.effect("exchanges a code once, for its client, address and verifier, and ends what was made with a stolen one", () =>
      Effect.gen(function*() {
        const { codeOf, decide, exchange, mcp, register } = yield* world
        const hub = yield* TestHub
        const { id } = yield* makeAgent(hub, hub.owner)
        const client: string = (yield* register()).body.client_id
        const other: string = (yield* register()).body.client_id
        const code = codeOf(yield* decide(client, id))
        const wrong = [
          exchange(other, code),
          exchange(client, code, { code_verifier: "x".repeat(43) }),
          exchange(client, code, { redirect_uri: "http://127.0.0.1:4999/other" }),
          exchange(client, "x".repeat(43))
        ]
        for (const attempt of wrong) assert.deepStrictEqual((yield* attempt).body.error, "invalid_grant")
        assert.strictEqual((yield* exchange("client_none", code)).body.error, "invalid_client")
        assert.strictEqual(
          (yield* exchange(client, code, { grant_type: "password" })).body.error,
          "unsupported_grant_type"
        )
        const tokens = expectOk(yield* exchange(client, code)).body
        assert.deepStrictEqual([tokens.token_type, tokens.expires_in], ["Bearer", 3600])
        assert.strictEqual((yield* mcp(tokens.access_token)).status, 200)
        assert.strictEqual((yield* exchange(client, code)).body.error, "invalid_grant")
        assert.strictEqual((yield* mcp(tokens.access_token)).status, 401)
      }))

    it.effect("accepts the tokens on /mcp only", () =>
      Effect.gen(function*() {
        const { signIn } = yield* world
        const hub = yield* TestHub
        const { id } = yield* makeAgent(hub, hub.owner)
        const { access, refresh } = yield* signIn(id)
        for (const key of [access, refresh]) {
          assert.strictEqual((yield* hub.api("GET", "/agents", { key })).status, 401)
          assert.strictEqual(
            (yield* hub.api("POST", "/service-requests", {
              key,
              body: { service: "echo", operation: "say", payload: {} }
            }))
              .status,
            401
          )
        }
      }))

    it.effect("rotates refresh tokens, and ends the family when one is used twice", () =>
      Effect.gen(function*() {
        const { mcp, refresh, signIn } = yield* world
        const hub = yield* TestHub
        const { id } = yield* makeAgent(hub, hub.owner)
        const first = yield* signIn(id)
        const second = expectOk(yield* refresh(first.client, first.refresh)).body
        assert.strictEqual((yield* mcp(second.access_token)).status, 200)
        assert.strictEqual((yield* refresh(first.client, first.refresh)).body.error, "invalid_grant")
        assert.strictEqual((yield* mcp(second.access_token)).status, 401)
        assert.strictEqual((yield* refresh(first.client, second.refresh_token)).body.error, "invalid_grant")
      }))

    it.effect("ends a sign-in by revocation, by the person, and with the person's rights", () =>
      Effect.gen(function*() {
        const { mcp, refresh, send, signIn } = yield* world
        const hub = yield* TestHub
        const { id } = yield* makeAgent(hub, hub.owner)
        const byClient = yield* signIn(id)
        yield* send("POST", "/oauth/revoke", { form: { token: byClient.access, client_id: byClient.client } })
        assert.strictEqual((yield* mcp(byClient.access)).status, 401)
        const renewed = expectOk(yield* refresh(byClient.client, byClient.refresh)).body
        yield* send("POST", "/oauth/revoke", { form: { token: renewed.refresh_token, client_id: byClient.client } })
        assert.strictEqual((yield* mcp(renewed.access_token)).status, 401)
        assert.strictEqual((yield* send("POST", "/oauth/revoke", { form: { token: "none" } })).status, 200)

        const byPerson = yield* signIn(id)
        const listed = expectStatus(yield* hub.api("GET", "/tokens", { cookie: hub.owner.cookie }), 200).body.data[0]
        assert.deepStrictEqual([listed.kind, listed.agent.id], ["oauth", id])
        expectStatus(yield* hub.api("DELETE", `/tokens/${listed.id}`, { cookie: hub.owner.cookie }), 204)
        assert.strictEqual((yield* mcp(byPerson.access)).status, 401)

        const withAgent = yield* signIn(id)
        expectStatus(yield* hub.api("DELETE", `/agents/${id}`, { cookie: hub.owner.cookie }), 204)
        assert.strictEqual((yield* mcp(withAgent.access)).status, 401)
      }))

    it.effect("offers no sign-in where tokens would travel unencrypted", () =>
      Effect.gen(function*() {
        const hub = yield* startHub({ env: { HUB_PUBLIC_URL: "http://hub.example.test" } })
        for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"]) {
          const answer = yield* Effect.promise(() => request(`${hub.url}${path}`))
          assert.strictEqual(answer.statusCode, 404, path)
          yield* Effect.promise(() => answer.body.dump())
        }
      }))
  }
)
