/**
 * A provider on loopback with GitHub's own ways: errors with status 200, answers as a form unless JSON is accepted,
 * scopes with commas, tokens that do not expire or renew, an API that wants a user agent, and the end of a grant by
 * DELETE with Basic.
 */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { httpUpstream } from "./upstream.ts"

export const githubClient = { client_id: "Iv1.0123456789abcdef", client_secret: "secret-of-the-client" }

const shipped = readFileSync(join(import.meta.dirname, "..", "..", "resources", "apps", "github.json"), "utf8")

export const github = Effect.gen(function*() {
  const codes = new Set<string>()
  const tokens = new Set<string>()
  const issues: Array<unknown> = []
  const json = (response: ServerResponse, status: number, body: unknown) =>
    void response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body))

  const upstream = yield* httpUpstream(({ body, headers, method, url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://github.test")
    if (pathname === "/login/oauth/authorize") {
      const code = randomUUID()
      codes.add(code)
      const back = new URL(searchParams.get("redirect_uri") ?? "")
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "" }).toString()
      return void response.writeHead(302, { location: back.href }).end()
    }
    if (pathname === "/login/oauth/access_token") {
      const sent = new URLSearchParams(body)
      const isClient = sent.get("client_id") === githubClient.client_id &&
        sent.get("client_secret") === githubClient.client_secret
      const isKnown = codes.delete(sent.get("code") ?? "")
      const token = `gho_${randomUUID().replaceAll("-", "")}`
      if (isClient && isKnown) tokens.add(token)
      const answer = !isClient
        ? { error: "incorrect_client_credentials" }
        : !isKnown
        ? { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." }
        : { access_token: token, scope: "read:user,repo", token_type: "bearer" }
      if (headers.accept === "application/json") return json(response, 200, answer)
      return void response.writeHead(200, { "content-type": "application/x-www-form-urlencoded" }).end(
        new URLSearchParams(answer as Record<string, string>).toString()
      )
    }
    if (pathname === `/applications/${githubClient.client_id}/grant` && method === "DELETE") {
      const { client_id: id, client_secret: secret } = githubClient
      const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
      if (headers.authorization !== basic) return json(response, 401, { message: "Bad credentials" })
      const { access_token: token } = JSON.parse(body) as { readonly access_token?: string }
      return tokens.delete(token ?? "")
        ? void response.writeHead(204).end()
        : json(response, 404, { message: "Not Found" })
    }
    if (headers["user-agent"] === undefined) return json(response, 403, { message: "A user agent is required." })
    if (!tokens.has(headers.authorization?.replace(/^Bearer /, "") ?? "")) {
      return json(response, 401, { message: "Bad credentials" })
    }
    if (pathname === "/user") return json(response, 200, { login: "octocat", id: 1 })
    if (pathname === "/repos/acme/site/issues" && method === "POST") {
      issues.push(JSON.parse(body))
      return json(response, 201, { number: issues.length, state: "open" })
    }
    return json(response, 404, { message: "Not Found" })
  })
  const { name: _name, title: _title, ...definition } = JSON.parse(
    shipped.replaceAll(/https:\/\/(?:api\.)?github\.com/g, upstream.origin)
  ) as Record<string, unknown>
  return {
    origin: upstream.origin,
    /** The shipped definition at this server's address. */
    definition: { ...definition, hosts: [new URL(upstream.origin).host] },
    issues,
    /** Tokens that are still valid. */
    tokens
  }
})
