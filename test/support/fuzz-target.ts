/**
 * The fuzzer's target: a hub whose workspace has one of everything, one credential of each kind, and the operations of
 * each kind.
 */
import { HubApi } from "@countersign/domain/api"
import { permissions } from "@countersign/domain/auth"
import { openApiOf } from "@countersign/domain/openapi"
import { Effect } from "effect"
import { makeDevice } from "./device.ts"
import { expectStatus, firstOwner, makeAgent, makeService, makeToken, startHub, topUp } from "./hub.ts"
import { httpUpstream } from "./upstream.ts"

/** Names of the OpenAPI document; `none` calls the public endpoints. */
export const credentialKinds = ["agentKey", "deviceKey", "personalToken", "session", "none"] as const
export type CredentialKind = typeof credentialKinds[number]

interface Operation {
  readonly operationId: string
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security?: Operation["security"]
}

/** The fuzzer skips these; the value is the reason. */
const excluded: Readonly<Record<string, string>> = {
  "events.stream": "an event stream does not end",
  "auth.logout": "it would end the session that the other calls need",
  "auth.endSession": "the same, once a list has shown the id of that session"
}

/** Longer texts are limited in length only, because values that match their pattern take seconds to generate. */
const longText = 300

interface TextSchema {
  readonly pattern: string
  readonly maxLength?: number
  readonly allOf?: ReadonlyArray<{ readonly pattern?: string }>
}

/** The characters that a pattern such as `^[^\u0000]*$` excludes, as written in it. */
const excludedBy = (pattern = "") => /^\^\[\^(.+)\]\*\$$/u.exec(pattern)?.[1]

/** An equivalent schema that the generator handles quickly: one pattern instead of several. */
const simplified = (_: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("pattern" in value) || typeof value.pattern !== "string") {
    return value
  }
  const { allOf = [], maxLength = 0, pattern, ...rest } = value as TextSchema
  if (maxLength > longText) return { ...rest, maxLength }
  const sets = [pattern, ...allOf.map((each) => each.pattern)].map(excludedBy)
  return allOf.length === 0 || sets.includes(undefined)
    ? value
    : { ...rest, maxLength, pattern: `^[^${sets.join("")}]*$` }
}

const document = JSON.parse(JSON.stringify(openApiOf(HubApi)), simplified) as Document

/** Needs no credential: public, or with an optional one. */
const isOpen = ({ security = document.security ?? [] }: Operation) =>
  security.length === 0 || security.some((each) => Object.keys(each).length === 0)

const isFor = (kind: CredentialKind, operation: Operation) =>
  !(operation.operationId in excluded) &&
  (kind === "none" ? isOpen(operation) : (operation.security ?? document.security ?? []).some((each) => kind in each))

/** The OpenAPI document reduced to this one way to authenticate, and the ids of the operations that `kind` may call. */
export const documentFor = (kind: CredentialKind) => {
  const callable: Array<string> = []
  const narrowed = (operation: Operation): Operation => {
    if (!isFor(kind, operation)) return operation
    callable.push(operation.operationId)
    return { ...operation, security: kind === "none" ? [] : [{ [kind]: [] }, ...isOpen(operation) ? [{}] : []] }
  }
  const paths = Object.fromEntries(
    Object.entries(document.paths).map((
      [path, operations]
    ) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, narrowed(operation)]))
    ])
  )
  return { document: { ...document, paths }, callable }
}

const imported = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Weather", version: "1" },
  paths: { "/forecast": { get: { operationId: "forecast", responses: { 200: { description: "ok" } } } } }
})

/** A hub in this process with one workspace, until the scope ends. */
export const fuzzTarget = Effect.gen(function*() {
  const upstream = yield* httpUpstream((_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(imported)
  )
  const hub = yield* startHub({ env: { HUB_EGRESS_ALLOW: `127.0.0.1:${upstream.port}` } })
  const owner = yield* firstOwner(hub)
  const as = { cookie: owner.cookie }
  yield* topUp(hub, owner, 1_000_000)
  yield* makeService(hub, owner, {
    name: "shop",
    title: "Shop",
    kind: "http",
    base_url: upstream.origin,
    operations: [{
      name: "buy",
      title: "Buy",
      method: "POST",
      path: "/",
      price: { type: "fixed", cents: 4_200 },
      payload_schema: { type: "object", additionalProperties: true }
    }]
  })
  const agent = yield* makeAgent(hub, owner, {
    name: "Scout",
    bindings: [{ service: "shop", operations: ["*"] }, { service: "echo", operations: ["*"] }]
  })
  const dispatch = (body: object) => hub.api("POST", "/service-requests", { key: agent.key, body })
  expectStatus(yield* dispatch({ service: "echo", operation: "echo", payload: {} }), 200)
  expectStatus(yield* dispatch({ service: "shop", operation: "buy", payload: {} }), 200)
  const device = yield* makeDevice(hub, owner, { agents: "*" })
  const session = expectStatus(yield* device.heartbeat(), 200).body.session_id as string
  const command = expectStatus(
    yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
      ...as,
      body: { tool: "shell.run", input: { argv: ["true"] } }
    }),
    201
  ).body.id as string
  expectStatus(yield* hub.api("PUT", "/secrets/shop_key", { ...as, body: { value: "a secret of the shop" } }), 201)
  const token = yield* makeToken(hub, owner, permissions)
  const credentials: Readonly<Record<CredentialKind, string>> = {
    agentKey: agent.key,
    deviceKey: device.key,
    personalToken: token,
    session: owner.cookie.slice("svc_session=".length),
    none: ""
  }
  /** A device cannot list anything, so the fuzzer gets these ids: the start of the path → the id. */
  const deviceIds = { "/devices/\\{id\\}/": device.id, "/devices/sessions/": session, "/devices/commands/": command }
  const idsFor = (kind: CredentialKind): Readonly<Record<string, string>> => kind === "deviceKey" ? deviceIds : {}
  return { hub, upstream, credentials, idsFor }
})
