/** Fakes of Slack and Discord that keep messages as they were sent and changed, and the signed calls of their people. */
import { newId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import type { ServerResponse } from "node:http"
import { type Answer, type Api, apiOf } from "./hub.ts"
import { httpUpstream, type Received } from "./upstream.ts"

// eslint-disable-next-line typescript/no-explicit-any
type Json = any

export const slackSecret = "8f742231b10e8888abcd99yyyzzz85a5"
export const botToken = "xoxb-17653672481-19874698323"

/** A message as its channel shows it now. */
export interface FakeMessage {
  readonly place: string
  readonly id: string
  /** The bodies of the call that made it, and of those that changed it. */
  readonly versions: Array<Json>
}

/** What the fake does with its next call instead of answering it. */
export type Misbehavior = (request: Received, response: ServerResponse) => void

export const answers =
  (status: number, body: object, headers: Record<string, string> = {}): Misbehavior => (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
export const cutsOff: Misbehavior = (_, response) => void response.socket?.destroy()

const makeFake = Effect.fnUntraced(function*(answer: (request: Received, fake: FakeState) => Json | undefined) {
  const state: FakeState = { messages: new Map(), replies: [], forms: [], calls: [], next: [] }
  const watchers = new Set<() => void>()
  const upstream = yield* httpUpstream((request, response) => {
    const bad = state.next.shift()
    if (bad !== undefined) bad(request, response)
    else {
      const body = answer(request, state)
      answers(body === undefined ? 404 : 200, body ?? { message: "Unknown", ok: false, error: "unknown_method" })(
        request,
        response
      )
    }
    for (const watch of watchers) watch()
  })
  /** Resolves with the first value that the fake shows; looks again after every call that it receives. */
  const until = <A>(look: () => A | undefined): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const attempt = () => {
        const found = look()
        if (found === undefined) return
        watchers.delete(attempt)
        resume(Effect.succeed(found))
      }
      watchers.add(attempt)
      attempt()
      return Effect.sync(() => void watchers.delete(attempt))
    })
  const all = () => [...state.messages.values()]
  return {
    origin: upstream.origin,
    received: upstream.received,
    state,
    until,
    messages: all,
    misbehave: (...how: ReadonlyArray<Misbehavior>) => void state.next.push(...how),
    /** The message that shows a text now. */
    shows: (text: string, place?: string): Effect.Effect<FakeMessage> =>
      until(() =>
        all().find((message) =>
          (place === undefined || message.place === place) && JSON.stringify(message.versions.at(-1)).includes(text)
        )
      )
  }
})

interface FakeState {
  readonly messages: Map<string, FakeMessage>
  /** Texts that only one person sees. */
  readonly replies: Array<string>
  readonly forms: Array<Json>
  /** `METHOD path` of every answered call. */
  readonly calls: Array<string>
  readonly next: Array<Misbehavior>
}

const nowSeconds = () => Math.floor(Date.now() / 1_000)

export interface SlackPerson {
  readonly team: string
  readonly id: string
  readonly name: string
}

export const slackHeaders = (
  body: string,
  { secret = slackSecret, seconds = nowSeconds() }: { readonly secret?: string; readonly seconds?: number } = {}
) => ({
  "content-type": "application/x-www-form-urlencoded",
  "x-slack-request-timestamp": String(seconds),
  "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex")}`
})

export const slackFake = Effect.gen(function*() {
  let count = 0
  const fake = yield* makeFake(({ body, headers, url }, state) => {
    state.calls.push(url)
    if (url === "/reply") {
      state.replies.push(JSON.parse(body).text)
      return { ok: true }
    }
    if (headers.authorization !== `Bearer ${botToken}`) return { ok: false, error: "invalid_auth" }
    const sent = JSON.parse(body)
    switch (url) {
      case "/chat.postMessage": {
        const ts = `${nowSeconds()}.${String(++count).padStart(6, "0")}`
        state.messages.set(ts, { place: sent.channel, id: ts, versions: [sent] })
        return { ok: true, channel: sent.channel, ts }
      }
      case "/chat.update": {
        const message = state.messages.get(sent.ts)
        if (message === undefined) return { ok: false, error: "message_not_found" }
        message.versions.push(sent)
        return { ok: true, ts: sent.ts }
      }
      case "/views.open":
        state.forms.push(sent.view)
        return { ok: true }
      default:
        return undefined
    }
  })

  /** The buttons that a message shows now. */
  const buttonsOf = ({ versions }: FakeMessage): ReadonlyArray<Json> =>
    versions.at(-1).blocks.flatMap((block: Json) => block.type === "actions" ? block.elements : [])
  const labelsOf = (message: FakeMessage) => buttonsOf(message).map(({ text }) => text.text as string)
  const send = (api: Api, fields: Record<string, string>, options: object = {}): Effect.Effect<Answer> => {
    const body = new URLSearchParams(fields).toString()
    return api("POST", "/webhooks/slack", { body, headers: slackHeaders(body, options) })
  }
  /** The payload of a click, as Slack sends it. */
  const clickOf = (person: SlackPerson, message: FakeMessage, value: string) => ({
    type: "block_actions",
    user: { id: person.id, username: person.name, team_id: person.team },
    team: { id: "T_CHANNEL", domain: "acme" },
    trigger_id: newId("req"),
    response_url: `${fake.origin}/reply`,
    container: { type: "message", channel_id: message.place, message_ts: message.id },
    actions: [{ type: "button", value }]
  })

  return {
    ...fake,
    env: { HUB_SLACK_API_BASE: fake.origin, HUB_SLACK_SIGNING_SECRET: slackSecret },
    buttonsOf,
    labelsOf,
    clickOf,
    send,
    /** Presses the button whose label begins with a text, on a hub. */
    press: (hub: { readonly url: string }, person: SlackPerson, message: FakeMessage, label: string) => {
      const button = buttonsOf(message).find(({ text }) => text.text.startsWith(label))
      if (button === undefined) throw new Error(`no button ${label} of ${labelsOf(message).join(", ")}`)
      return send(apiOf(hub.url), { payload: JSON.stringify(clickOf(person, message, button.value)) })
    },
    /** Sends a form that the hub opened. */
    submit: (hub: { readonly url: string }, person: SlackPerson, view: Json, text: string) => {
      const [input] = view.blocks
      return send(apiOf(hub.url), {
        payload: JSON.stringify({
          type: "view_submission",
          user: { id: person.id, username: person.name, team_id: person.team },
          team: { id: person.team },
          view: {
            private_metadata: view.private_metadata,
            state: {
              values: { [input.block_id]: { [input.element.action_id]: { type: "plain_text_input", value: text } } }
            }
          }
        })
      })
    },
    command: (hub: { readonly url: string }, person: SlackPerson, text: string) =>
      send(apiOf(hub.url), {
        command: "/countersign",
        text,
        team_id: person.team,
        team_domain: "acme",
        user_id: person.id,
        user_name: person.name,
        response_url: `${fake.origin}/reply`
      })
  }
})

export type SlackFake = Effect.Success<typeof slackFake>

const discordKeys = generateKeyPairSync("ed25519")
export const rawPublicKey = (key: typeof discordKeys.publicKey): Buffer =>
  key.export({ format: "der", type: "spki" }).subarray(-32)

export const discordHeaders = (body: string, seconds = nowSeconds()) => ({
  "x-signature-ed25519": sign(null, Buffer.from(`${seconds}${body}`), discordKeys.privateKey).toString("hex"),
  "x-signature-timestamp": String(seconds)
})

const snowflake = () => String(BigInt(Date.now()) * 4_194_304n + BigInt(Math.floor(Math.random() * 4_194_304)))

export const discordFake = Effect.gen(function*() {
  const fake = yield* makeFake(({ body, headers, method, url }, state) => {
    state.calls.push(`${method} ${url}`)
    if (url.startsWith("/webhooks/")) {
      state.replies.push(JSON.parse(body).content)
      return {}
    }
    if (headers.authorization !== `Bot ${botToken}`) return undefined
    if (url === "/applications/@me") return { id: "99" }
    if (url === "/applications/99/commands") return { id: "1" }
    const [, place = "", id] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(url) ?? []
    const sent = JSON.parse(body)
    if (id === undefined) {
      const known = [...state.messages.values()].find(({ versions }) => versions[0].nonce === sent.nonce)
      const message = known ?? { place, id: snowflake(), versions: [sent] }
      state.messages.set(message.id, message)
      return { id: message.id, channel_id: place }
    }
    state.messages.get(id)?.versions.push(sent)
    return { id, channel_id: place }
  })
  const send = (hub: { readonly url: string }, interaction: object): Effect.Effect<Answer> => {
    const body = JSON.stringify({ id: snowflake(), application_id: "99", token: newId("req"), ...interaction })
    return apiOf(hub.url)("POST", "/webhooks/discord", { body, headers: discordHeaders(body) })
  }
  const buttonsOf = ({ versions }: FakeMessage): ReadonlyArray<Json> =>
    versions.at(-1).components.flatMap((row: Json) => row.components)
  const by = (account: string, name: string) => ({ member: { user: { id: account, username: name } } })
  return {
    ...fake,
    env: {
      HUB_DISCORD_API_BASE: fake.origin,
      HUB_DISCORD_PUBLIC_KEY: rawPublicKey(discordKeys.publicKey).toString("hex")
    },
    buttonsOf,
    send,
    press: (hub: { readonly url: string }, account: string, message: FakeMessage, label: string) => {
      const button = buttonsOf(message).find((each) => each.label.startsWith(label))
      return send(hub, {
        type: 3,
        channel_id: message.place,
        message: { id: message.id, channel_id: message.place },
        data: { custom_id: button.custom_id, component_type: 2 },
        ...by(account, "ada")
      })
    },
    submit: (hub: { readonly url: string }, account: string, message: FakeMessage, form: Json, text: string) =>
      send(hub, {
        type: 5,
        channel_id: message.place,
        message: { id: message.id, channel_id: message.place },
        data: {
          custom_id: form.custom_id,
          components: [{
            type: 1,
            components: [{ type: 4, custom_id: form.components[0].components[0].custom_id, value: text }]
          }]
        },
        ...by(account, "ada")
      }),
    command: (hub: { readonly url: string }, account: string, code: string) =>
      send(hub, {
        type: 2,
        data: { name: "countersign", options: [{ name: "link", type: 1, options: [{ name: "code", value: code }] }] },
        ...by(account, "ada")
      })
  }
})

export type DiscordFake = Effect.Success<typeof discordFake>
