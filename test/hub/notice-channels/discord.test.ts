/** Approvals in Discord through a fake Discord. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expectStatus, firstOwner, type HubInTest, makeAgent, startHub, topUp } from "../../support/hub.ts"
import { botToken, type DiscordFake, discordFake, discordHeaders } from "../../support/messengers.ts"
import { makePerson, makeSignedIn, makeWorkspace, type PersonInTest, stepUp } from "../../support/people.ts"

class World extends Context.Service<World, { readonly discord: DiscordFake; readonly hub: HubInTest }>()(
  "test/hub/notice-channels/discord/World"
) {}

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const discord = yield* discordFake
    const hub = yield* startHub({ env: { ...discord.env, HUB_EGRESS_ALLOW: "127.0.0.1" } })
    yield* firstOwner(hub)
    return { discord, hub }
  })
)

let count = 0

/** Links an account of Discord to a person. */
const link = Effect.fnUntraced(function*(person: PersonInTest, account: string) {
  const { discord, hub } = yield* World
  const { code, id } = expectStatus(yield* hub.api("POST", "/auth/messenger-links", person), 201).body
  const linked = yield* discord.command(hub, account, code)
  assert.deepStrictEqual([linked.body.type, linked.body.data.flags], [4, 64])
  yield* stepUp(hub, person)
  expectStatus(yield* hub.api("POST", `/auth/messenger-links/${id}/confirm`, person), 200)
})

const scene = Effect.gen(function*() {
  const { discord, hub } = yield* World
  const org = yield* makeWorkspace(hub, "Acme")
  const owner = yield* makeSignedIn(hub, org, "owner", "Olga")
  const { cookie } = owner
  yield* topUp(hub, owner, 10_000)
  expectStatus(yield* hub.api("PUT", "/secrets/discord", { cookie, body: { value: botToken } }), 201)
  expectStatus(
    yield* hub.api("POST", "/policies", {
      cookie,
      body: { name: "All", when: "true", then: "require_approval", reason: "All requests @everyone" }
    }),
    201
  )
  const agent = yield* makeAgent(hub, owner)
  const target = String(100_000 + ++count)
  const channel = expectStatus(
    yield* hub.api("POST", "/notice-channels", { cookie, body: { kind: "discord", secret: "discord", target } }),
    201
  ).body
  const account = String(900_000 + count)
  yield* link(yield* makePerson(hub, org, "operator", "Ada"), account)
  return {
    discord,
    hub,
    org,
    cookie,
    target,
    channel,
    account,
    approvalOf: (id: string) => Effect.map(hub.api("GET", `/approvals/${id}`, { cookie }), ({ body }) => body),
    say: (text: string, key = agent.key) =>
      Effect.map(
        hub.api("POST", "/service-requests", {
          key,
          body: { service: "echo", operation: "say", payload: { text } }
        }),
        (answer) => expectStatus(answer, 200).body.approval_id as string
      )
  }
})

layer(WorldTest, { excludeTestServices: true })("Discord channels", (it) => {
  it.effect("show an approval without mentions, confirm it by a dialog, and follow the decision", () =>
    Effect.gen(function*() {
      const { account, approvalOf, cookie, discord, hub, say, target } = yield* scene
      const id = yield* say("@everyone <@1> **now**")
      const message = yield* discord.shows(id, target)
      const [sent] = message.versions
      assert.deepStrictEqual(sent.allowed_mentions, { parse: [] })
      assert.notMatch(sent.content, /@everyone|<@1>|(?<!\\)\*\*now/)
      assert.deepStrictEqual(discord.buttonsOf(message).map(({ label }) => label), ["Approve $0.01", "Reject…", "Open"])
      const dialog = (yield* discord.press(hub, account, message, "Approve")).body
      assert.deepStrictEqual([dialog.type, dialog.data.title], [9, "Approve $0.01?"])
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
      const answer = (yield* discord.submit(hub, account, message, dialog.data, "Fine")).body
      assert.deepStrictEqual([answer.type, answer.data.flags], [4, 64])
      const approval = yield* approvalOf(id)
      assert.deepStrictEqual([approval.status, approval.comment], ["approved", "Fine"])
      const shown = yield* discord.shows("Approved by Ada", target)
      assert.deepStrictEqual(discord.buttonsOf(shown).map(({ label }) => label), ["Open"])
      const { body } = yield* hub.api("GET", `/audit-logs?subject_id=${id}&action=approval.approved`, { cookie })
      assert.deepStrictEqual(body.data[0].data.via, { kind: "messenger", provider: "discord", account })
    }))

  it.effect("reject by a dialog with a comment; an unlinked account must link first", () =>
    Effect.gen(function*() {
      const { account, approvalOf, discord, hub, say, target } = yield* scene
      const id = yield* say("Hello")
      const message = yield* discord.shows(id, target)
      const unlinked = (yield* discord.press(hub, "1", message, "Approve")).body
      assert.match(unlinked.data.content, /Link your account first/)
      const dialog = (yield* discord.press(hub, account, message, "Reject")).body
      yield* discord.submit(hub, account, message, dialog.data, "Not now")
      const approval = yield* approvalOf(id)
      assert.deepStrictEqual([approval.status, approval.comment], ["rejected", "Not now"])
    }))

  it.effect("keep separation of duties: the owner of an agent cannot approve its request, another person can", () =>
    Effect.gen(function*() {
      const { account, approvalOf, cookie, discord, hub, org, say, target } = yield* scene
      const body = { separation_of_duties: true }
      expectStatus(yield* hub.api("PATCH", `/workspaces/${org}`, { cookie, body }), 200)
      const owner = yield* makePerson(hub, org, "admin", "Owen")
      const own = String(800_000 + count)
      yield* link(owner, own)
      const id = yield* say("Hello", (yield* makeAgent(hub, owner)).key)
      const message = yield* discord.shows(id, target)
      const approve = Effect.fnUntraced(function*(by: string) {
        const dialog = (yield* discord.press(hub, by, message, "Approve")).body
        return (yield* discord.submit(hub, by, message, dialog.data, "")).body
      })
      const refused = yield* approve(own)
      assert.deepStrictEqual([refused.type, refused.data.flags], [4, 64])
      assert.include(refused.data.content, "The agent is yours; another person must approve its request.")
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
      yield* approve(account)
      const approval = yield* approvalOf(id)
      assert.deepStrictEqual([approval.status, approval.decided_by.name], ["approved", "Ada"])
    }))

  it.effect("answer PING, and refuse altered, unsigned, and old interactions with 401", () =>
    Effect.gen(function*() {
      const { hub } = yield* World
      const ping = JSON.stringify({ type: 1 })
      const post = (body: string, headers: Record<string, string>) =>
        hub.api("POST", "/webhooks/discord", { body, headers })
      assert.deepStrictEqual((yield* post(ping, discordHeaders(ping))).body, { type: 1 })
      const old = Math.floor(Date.now() / 1_000) - 301
      const refused = [
        yield* post(`${ping} `, discordHeaders(ping)),
        yield* post(ping, {}),
        yield* post(ping, { ...discordHeaders(ping), "x-signature-ed25519": "00".repeat(64) }),
        yield* post(ping, { ...discordHeaders(ping), "x-signature-ed25519": "zz" }),
        yield* post(ping, discordHeaders(ping, old))
      ]
      assert.deepStrictEqual(refused.map(({ status }) => status), [401, 401, 401, 401, 401])
      const custom_id = `a:apr_${"0".repeat(26)}:${"0".repeat(64)}`
      for (
        const interaction of [
          { id: "1", type: 77, user: { id: "5" } },
          { id: "1", type: 3, user: { id: "5\0" }, channel_id: "7", message: { id: "8" }, data: { custom_id } },
          { id: "1", type: 3, user: { id: "5" }, channel_id: "7\0", message: { id: "8\0" }, data: { custom_id } }
        ]
      ) {
        const unknown = JSON.stringify(interaction)
        assert.strictEqual((yield* post(unknown, discordHeaders(unknown))).status, 200, unknown)
      }
    }))

  it.effect("a test message registers the command by which people link their account", () =>
    Effect.gen(function*() {
      const { channel, cookie, discord, hub } = yield* scene
      const tested = yield* hub.api("POST", `/notice-channels/${channel.id}/test`, { cookie })
      assert.deepStrictEqual([tested.status, tested.body.interactive], [200, true])
      assert.include(discord.state.calls, "POST /applications/99/commands")
      const refused = yield* hub.api("POST", "/notice-channels", {
        cookie,
        body: { kind: "discord", app_id: "app_00000000000000000000000000", target: "1" }
      })
      assert.strictEqual(refused.status, 400)
    }))
})
