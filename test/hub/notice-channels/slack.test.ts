/** Approvals in Slack through a fake Slack, on two hubs that share a database. */
import { MessengerLink } from "@countersign/domain/messenger-links"
import { NoticeChannel } from "@countersign/domain/notice-channels"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { fitting } from "../../support/contract.ts"
import {
  type Answer,
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  makeService,
  startHub,
  topUp
} from "../../support/hub.ts"
import {
  answers,
  botToken,
  cutsOff,
  type FakeMessage,
  type SlackFake,
  slackFake,
  slackHeaders,
  type SlackPerson
} from "../../support/messengers.ts"
import { makePerson, makeSignedIn, makeWorkspace, type PersonInTest, stepUp } from "../../support/people.ts"

class World extends Context.Service<World, {
  readonly slack: SlackFake
  readonly hubs: readonly [HubInTest, HubInTest]
}>()("test/hub/notice-channels/World") {}

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const slack = yield* slackFake
    const env = { ...slack.env, HUB_EGRESS_ALLOW: "127.0.0.1" }
    const first = yield* startHub({ env })
    yield* firstOwner(first)
    const second = yield* startHub({ env: { ...env, HUB_RATE_LIMIT_HOOK: "20:40" }, database: first.target })
    return { slack, hubs: [first, second] as const }
  })
)

let count = 0

/** A workspace with its channel, an agent whose requests require approval, and people. */
const scene = (channel: object = {}) =>
  Effect.gen(function*() {
    const { hubs, slack } = yield* World
    const [hub, second] = hubs
    const org = yield* makeWorkspace(hub, "Acme")
    const owner = yield* makeSignedIn(hub, org, "owner", "Olga")
    const { cookie } = owner
    const target = `C${++count}`
    yield* topUp(hub, owner, 1_000_000)
    expectStatus(yield* hub.api("PUT", "/secrets/slack", { cookie, body: { value: botToken } }), 201)
    yield* makeService(hub, owner, {
      name: "shop",
      kind: "http",
      base_url: slack.origin,
      operations: [{
        name: "buy",
        method: "POST",
        path: "/buy",
        price: { type: "quoted", ceiling: "payload.cents" },
        summary: ["/item", "/card"],
        payload_schema: {
          type: "object",
          properties: {
            item: { type: "string", title: "Item" },
            cents: { type: "integer" },
            card: { type: "string", writeOnly: true }
          }
        },
        test: { result: { ok: true } }
      }]
    })
    const agent = yield* makeAgent(hub, owner, { name: "Scout", bindings: [{ service: "shop", operations: ["*"] }] })
    const created = expectStatus(
      yield* hub.api("POST", "/notice-channels", {
        cookie,
        body: { kind: "slack", secret: "slack", target, ...channel }
      }),
      201
    ).body
    const approvalOf = (id: string) => Effect.map(hub.api("GET", `/approvals/${id}`, { cookie }), ({ body }) => body)
    return {
      slack,
      hub,
      second,
      org,
      owner,
      cookie,
      target,
      agent,
      channel: created,
      approvalOf,
      /** Dispatches a request that requires approval; the approval's id. */
      buy: (cents = 4_200, payload: object = {}, key = agent.key) =>
        Effect.map(
          hub.api("POST", "/service-requests", {
            key,
            body: { service: "shop", operation: "buy", payload: { item: "chair", cents, ...payload } }
          }),
          (answer) => expectStatus(answer, 200).body.approval_id as string
        ),
      /** The message about an approval. */
      messageOf: (approval: string) => slack.shows(approval, target),
      /** The message about it that shows a text. */
      shows: (approval: string, text: string) =>
        slack.until(() =>
          slack.messages().find(({ versions }) =>
            JSON.stringify(versions[0]).includes(approval) && JSON.stringify(versions.at(-1)).includes(text)
          )
        )
    }
  })

/** Links a Slack account to a person, and returns the account. */
const linked = Effect.fnUntraced(
  function*(hub: HubInTest, slack: SlackFake, person: PersonInTest, team = "T1"): Effect.fn.Return<SlackPerson> {
    const account = { team, id: `U${++count}`, name: "ada" }
    const { cookie } = person
    const { code, id } = expectStatus(yield* hub.api("POST", "/auth/messenger-links", { cookie }), 201).body
    expectStatus(yield* slack.command(hub, account, `link ${code.toLowerCase()}`), 200)
    yield* stepUp(hub, person)
    expectStatus(yield* hub.api("POST", `/auth/messenger-links/${id}/confirm`, { cookie }), 200)
    return account
  }
)

/** No channel and no message have such ids. */
const nowhere: FakeMessage = { place: "C\0", id: "\0", versions: [] }

const textOf = ({ versions }: FakeMessage): string => JSON.stringify(versions.at(-1))
const actionsOf = ({ body }: Answer) => body.data.map(({ action }: { readonly action: string }) => action)

layer(WorldTest, { excludeTestServices: true })("Slack channels", (it) => {
  it.effect("show a pending approval with amount, masked payload, reason, seal, and expiry, without mentions", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, channel, messageOf, slack } = yield* scene()
      fitting(NoticeChannel, channel)
      const id = yield* buy(4_200, { item: "<!channel> & <@U1>\n*chair*", card: "4111111111111111" })
      const message = yield* messageOf(id)
      const approval = yield* approvalOf(id)
      const text = textOf(message)
      for (const part of ["$42.00", "Scout → shop.buy", approval.payload_digest.slice(0, 8), "Reason: ", "Expires "]) {
        assert.include(text, part)
      }
      assert.include(text, "Item: &lt;!channel&gt; &amp; &lt;@U1&gt; *chair*")
      for (const part of ["<!channel>", "<@U1>", "4111111111111111"]) assert.notInclude(text, part)
      assert.deepStrictEqual(slack.labelsOf(message), ["Approve $42.00", "Reject…", "Open"])
      const [approve, reject] = slack.buttonsOf(message)
      assert.deepStrictEqual([approve.value, reject.value], [
        `a:${id}:${approval.payload_digest}`,
        `r:${id}:${approval.payload_digest}`
      ])
      assert.strictEqual(approve.confirm.title.text, "Approve $42.00?")
    }))

  it.effect("a linked person approves by the button: the request executes, the message and the audit log show it", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, cookie, hub, messageOf, org, shows, slack } = yield* scene()
      const ada = yield* makePerson(hub, org, "operator", "Ada")
      const account = yield* linked(hub, slack, ada)
      const id = yield* buy()
      const message = yield* messageOf(id)
      assert.strictEqual((yield* slack.press(hub, account, message, "Approve")).status, 200)
      const approval = yield* approvalOf(id)
      assert.deepStrictEqual([approval.status, approval.decided_by.name], ["approved", "Ada"])
      const shown = yield* shows(id, "Approved by Ada")
      assert.deepStrictEqual(slack.labelsOf(shown), ["Open"])
      const { body } = yield* hub.api("GET", `/audit-logs?subject_id=${id}&action=approval.approved`, { cookie })
      assert.deepStrictEqual(body.data[0].data.via, { kind: "messenger", provider: "slack", account: account.id })
      assert.strictEqual(body.data[0].actor.name, "Ada")
    }))

  it.effect("a person rejects with a comment in a form; the form reports an error where the decision fails", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, cookie, hub, messageOf, org, shows, slack } = yield* scene()
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Ada"))
      const id = yield* buy()
      const before = slack.state.forms.length
      yield* slack.press(hub, account, yield* messageOf(id), "Reject")
      const form = slack.state.forms[before]
      const answer = yield* slack.submit(hub, account, form, "Too expensive")
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      const approval = yield* approvalOf(id)
      assert.deepStrictEqual([approval.status, approval.comment], ["rejected", "Too expensive"])
      yield* shows(id, "Comment: Too expensive")
      const { body } = yield* hub.api("GET", `/audit-logs?subject_id=${id}&action=approval.rejected`, { cookie })
      assert.strictEqual(body.data[0].data.via.kind, "messenger")
      const late = yield* slack.submit(hub, account, form, "Again")
      assert.strictEqual(late.body.response_action, "errors")
    }))

  it.effect("a decision in the console updates the message, and a button that comes later decides nothing", () =>
    Effect.gen(function*() {
      const { buy, cookie, hub, messageOf, org, shows, slack } = yield* scene()
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Ada"))
      const id = yield* buy()
      const message = yield* messageOf(id)
      const value = slack.buttonsOf(message)[0].value
      expectStatus(yield* hub.api("POST", `/approvals/${id}/reject`, { cookie, body: { comment: "No" } }), 200)
      yield* shows(id, "Rejected by Olga")
      const replies = slack.state.replies.length
      yield* slack.send(hub.api, { payload: JSON.stringify(slack.clickOf(account, message, value)) })
      assert.include(slack.state.replies[replies], "Rejected by Olga")
    }))

  it.effect("an approval that needs two people shows each vote, and executes with the second", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, cookie, hub, messageOf, org, shows, slack } = yield* scene()
      expectStatus(
        yield* hub.api("POST", "/policies", {
          cookie,
          body: {
            name: "Two",
            when: "true",
            then: "require_approval",
            required_approvals: 2,
            reason: "Needs two people"
          }
        }),
        201
      )
      const [ada, bob] = [
        yield* makePerson(hub, org, "operator", "Ada"),
        yield* makePerson(hub, org, "operator", "Bob")
      ]
      const [first, other] = [yield* linked(hub, slack, ada), yield* linked(hub, slack, bob)]
      const id = yield* buy(100)
      const replies = slack.state.replies.length
      yield* slack.press(hub, first, yield* messageOf(id), "Approve")
      assert.strictEqual(slack.state.replies[replies], "Your approval is recorded: 1 of 2.")
      const message = yield* shows(id, "1 of 2: Ada")
      yield* slack.press(hub, first, message, "Approve")
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
      yield* slack.press(hub, other, message, "Approve")
      assert.strictEqual((yield* approvalOf(id)).status, "approved")
      yield* shows(id, "Approved by Bob")
    }))

  it.effect("above step_up_cents a message offers Open only, and a button from before is refused", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, hub, messageOf, org, owner, slack } = yield* scene()
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "admin", "Ada"))
      const id = yield* buy(60_000)
      const before = yield* messageOf(id)
      const [approve, reject] = slack.buttonsOf(before).map(({ value }) => value as string)
      expectStatus(
        yield* hub.api("PATCH", `/workspaces/${org}`, { cookie: owner.cookie, body: { step_up_cents: 50_000 } }),
        200
      )
      for (const value of [approve!, reject!]) {
        const replies = slack.state.replies.length
        yield* slack.send(hub.api, { payload: JSON.stringify(slack.clickOf(account, before, value)) })
        assert.include(slack.state.replies[replies], "Open it in Countersign")
      }
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
      const next = yield* buy(60_001)
      assert.deepStrictEqual(slack.labelsOf(yield* messageOf(next)), ["Open"])
    }))

  it.effect("separation of duties and roles apply to buttons as to the console", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, cookie, hub, messageOf, org, slack } = yield* scene()
      const body = { separation_of_duties: true }
      expectStatus(yield* hub.api("PATCH", `/workspaces/${org}`, { cookie, body }), 200)
      const owen = yield* makePerson(hub, org, "admin", "Owen")
      const owner = yield* linked(hub, slack, owen)
      const agent = yield* makeAgent(hub, owen, { bindings: [{ service: "shop", operations: ["*"] }] })
      const viewer = yield* linked(hub, slack, yield* makePerson(hub, org, "viewer", "Vera"))
      const stranger = yield* linked(
        hub,
        slack,
        yield* makePerson(hub, yield* makeWorkspace(hub, "Elsewhere"), "owner", "Stan")
      )
      const id = yield* buy()
      const message = yield* messageOf(id)
      const replies = slack.state.replies.length
      yield* slack.press(hub, viewer, message, "Approve")
      yield* slack.press(hub, stranger, message, "Approve")
      // An unlinked account, and a linked one's id in another team: shared channels have outsiders.
      yield* slack.press(hub, { team: "T1", id: "U_UNKNOWN", name: "eve" }, message, "Approve")
      yield* slack.press(hub, { ...viewer, team: "T_OTHER" }, message, "Approve")
      const texts = slack.state.replies.slice(replies)
      assert.include(texts[0], "approvals:decide")
      assert.include(texts[1], "does not belong to the workspace")
      for (const text of texts.slice(2)) assert.include(text, "Link your account first")
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
      const own = yield* buy(4_200, {}, agent.key)
      yield* slack.press(hub, owner, yield* messageOf(own), "Approve")
      assert.include(slack.state.replies.at(-1), "The agent is yours; another person must approve its request.")
      assert.strictEqual((yield* approvalOf(own)).status, "pending")
    }))

  it.effect("a workspace whose deciders need a second factor takes no click of a person without one", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, hub, messageOf, org, owner, slack } = yield* scene()
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Ada"))
      const id = yield* buy()
      const message = yield* messageOf(id)
      expectStatus(
        yield* hub.api("PATCH", `/workspaces/${org}`, { cookie: owner.cookie, body: { second_factor: "deciders" } }),
        200
      )
      const replies = slack.state.replies.length
      for (const label of ["Approve", "Reject"]) {
        const forms = slack.state.forms.length
        yield* slack.press(hub, account, message, label)
        if (slack.state.forms.length > forms) yield* slack.submit(hub, account, slack.state.forms[forms], "No")
      }
      assert.include(slack.state.replies[replies], "second factor")
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
    }))

  it.effect("a button counts only in its own message, and with the digest that was shown", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, hub, messageOf, org, slack } = yield* scene()
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Ada"))
      const [first, other] = [yield* buy(), yield* buy(4_300)]
      const [message, another] = [yield* messageOf(first), yield* messageOf(other)]
      const value = slack.buttonsOf(message)[0].value as string
      const forged = [
        slack.clickOf(account, another, value),
        slack.clickOf(account, message, `${value.slice(0, -64)}${"0".repeat(64)}`),
        slack.clickOf(account, { ...message, place: "C_ELSEWHERE" }, value),
        slack.clickOf(account, message, "a:apr_x:y")
      ]
      for (const payload of forged) {
        const replies = slack.state.replies.length
        yield* slack.send(hub.api, { payload: JSON.stringify(payload) })
        assert.include(slack.state.replies[replies], "out of date")
      }
      for (const id of [first, other]) assert.strictEqual((yield* approvalOf(id)).status, "pending")
    }))

  it.effect("one of a click, its repeat, a click on another hub, and a decision in the console counts", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, cookie, hub, messageOf, org, second, shows, slack } = yield* scene()
      const ada = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Ada"))
      const bob = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Bob"))
      for (let round = 0; round < 4; round++) {
        const id = yield* buy()
        const message = yield* messageOf(id)
        const value = slack.buttonsOf(message)[0].value
        const body = new URLSearchParams({ payload: JSON.stringify(slack.clickOf(ada, message, value)) }).toString()
        const headers = slackHeaders(body)
        const same = (on: HubInTest) => on.api("POST", "/webhooks/slack", { body, headers })
        const results = yield* Effect.all([
          same(hub),
          same(second),
          slack.press(second, bob, message, "Approve"),
          hub.api("POST", `/approvals/${id}/reject`, { cookie, body: {} })
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(results.slice(0, 3).map(({ status }) => status), [200, 200, 200])
        const approval = yield* approvalOf(id)
        assert.notStrictEqual(approval.status, "pending")
        const { body: log } = yield* hub.api("GET", `/audit-logs?subject_id=${id}`, { cookie })
        assert.lengthOf(
          log.data.filter(({ action }: { readonly action: string }) => /approved|rejected/.test(action)),
          1
        )
        yield* shows(id, `${approval.status === "approved" ? "Approved" : "Rejected"} by ${approval.decided_by.name}`)
        // The same signed call again is answered and changes nothing.
        assert.strictEqual((yield* same(hub)).status, 200)
      }
    }))

  it.effect("refuse altered, unsigned, wrongly signed, and old calls with 401, and large ones with 413", () =>
    Effect.gen(function*() {
      const { hub, slack } = yield* scene()
      const body = new URLSearchParams({ command: "/countersign", text: "link", team_id: "T1", user_id: "U1" })
        .toString()
      const post = (text: string, headers: Record<string, string>) =>
        Effect.map(hub.api("POST", "/webhooks/slack", { body: text, headers }), ({ status }) => status)
      const seconds = Math.floor(Date.now() / 1_000)
      assert.deepStrictEqual(
        [
          yield* post(body, slackHeaders(body)),
          yield* post(`${body}&x=1`, slackHeaders(body)),
          yield* post(body, { "content-type": "application/x-www-form-urlencoded" }),
          yield* post(body, slackHeaders(body, { secret: "wrong" })),
          yield* post(body, slackHeaders(body, { seconds: seconds - 301 })),
          // Far enough ahead that the calls before it may take a minute.
          yield* post(body, slackHeaders(body, { seconds: seconds + 361 })),
          yield* post("x".repeat(300_000), slackHeaders(body))
        ],
        [200, 401, 401, 401, 401, 401, 413]
      )
      const value = `a:apr_${"0".repeat(26)}:${"0".repeat(64)}`
      const user = { id: "U1", team_id: "T1" }
      for (
        const fields of [
          { payload: JSON.stringify({ type: "shortcut" }) },
          { command: "/countersign", text: "link AAAA-AAAA", team_id: "T\0", user_id: "U\0" },
          { payload: JSON.stringify(slack.clickOf({ team: "T1", id: "U1", name: "" }, nowhere, value)) },
          { payload: JSON.stringify({ type: "view_submission", user, view: { private_metadata: `\0 ${value}` } }) }
        ]
      ) {
        const unknown = new URLSearchParams(fields).toString()
        assert.strictEqual(yield* post(unknown, slackHeaders(unknown)), 200, unknown)
      }
      const challenge = JSON.stringify({ type: "url_verification", challenge: "abc" })
      const answer = yield* hub.api("POST", "/webhooks/slack", {
        body: challenge,
        headers: { ...slackHeaders(challenge), "content-type": "application/json" }
      })
      assert.deepStrictEqual(answer.body, { challenge: "abc" })
      assert.isAbove(slack.received.length, 0)
    }))

  it.effect("signed calls pass while the same address sends a flood of unsigned, wrongly signed, and old ones", () =>
    Effect.gen(function*() {
      const { hubs: [, second] } = yield* World
      const body = new URLSearchParams({ payload: JSON.stringify({ type: "shortcut" }) }).toString()
      const seconds = Math.floor(Date.now() / 1_000)
      const large = "x".repeat(200_000)
      const post = (text: string, headers: Record<string, string>) =>
        Effect.map(second.api("POST", "/webhooks/slack", { body: text, headers }), ({ status }) => status)
      const bad = [
        () => post(body, { "content-type": "application/x-www-form-urlencoded" }),
        () => post(body, slackHeaders(body, { secret: "wrong" })),
        () => post(body, slackHeaders(body, { seconds: seconds - 301 })),
        () => post(large, slackHeaders(large, { secret: "wrong" }))
      ]
      const flood = Effect.forEach(Array.from({ length: 600 }), (_, at) => bad[at % bad.length]!(), { concurrency: 32 })
      const signed = Effect.forEach(Array.from({ length: 40 }), () => post(body, slackHeaders(body)))
      const [refused, accepted] = yield* Effect.all([flood, signed], { concurrency: 2 })
      assert.deepStrictEqual([...new Set(accepted)], [200])
      assert.deepStrictEqual([...new Set(refused)].toSorted(), [401, 429])
    }))

  it.effect("decide requests of agents and for budgets, with their options and forms", () =>
    Effect.gen(function*() {
      const { agent, cookie, hub, org, shows, slack } = yield* scene({
        events: ["agent_request.created", "budget_request.updated"]
      })
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "admin", "Ada"))
      const ask = (body: object) =>
        Effect.map(hub.api("POST", "/agent-requests", { key: agent.key, body }), (made) =>
          expectStatus(made, 201).body.id)
      const choice = yield* ask({ kind: "question", title: "Which colour?", options: ["red", "blue"] })
      const open = yield* ask({ kind: "question", title: "Which size?", body: "Any" })
      yield* slack.press(hub, account, yield* shows(choice, "Which colour?"), "blue")
      const before = slack.state.forms.length
      yield* slack.press(hub, account, yield* shows(open, "Which size?"), "Answer")
      yield* slack.submit(hub, account, slack.state.forms[before], "Large")
      const answersOf = (id: string) =>
        Effect.map(hub.api("GET", `/agent-requests/${id}`, { cookie }), ({ body }) => [body.status, body.answer])
      assert.deepStrictEqual([yield* answersOf(choice), yield* answersOf(open)], [["answered", "blue"], [
        "answered",
        "Large"
      ]])
      yield* shows(choice, "Answered by Ada")
      const budget = expectStatus(
        yield* hub.api("POST", "/budget-requests", {
          key: agent.key,
          body: { amount_cents: 5_000, period: "once", reason: "More chairs" }
        }),
        201
      ).body.id
      const message = yield* shows(budget, "$50.00")
      yield* slack.press(hub, account, message, "Approve")
      assert.strictEqual((yield* hub.api("GET", `/budget-requests/${budget}`, { cookie })).body.status, "approved")
      yield* shows(budget, "Approved by Ada")
    }))

  it.effect("mention the linked people who turned it on and may decide, outside their quiet hours", () =>
    Effect.gen(function*() {
      const { buy, hub, messageOf, org, shows, slack } = yield* scene()
      const [ada, ben, vera] = [
        yield* makePerson(hub, org, "operator", "Ada"),
        yield* makePerson(hub, org, "operator", "Ben"),
        yield* makePerson(hub, org, "viewer", "Vera")
      ]
      const account = yield* linked(hub, slack, ada)
      yield* linked(hub, slack, ben)
      yield* linked(hub, slack, vera)
      const set = (person: PersonInTest, body: object) =>
        Effect.map(
          hub.api("PATCH", "/notification-settings", { cookie: person.cookie, body }),
          (answer) => expectStatus(answer, 200)
        )
      const mentions = Effect.fnUntraced(function*(id: string) {
        return textOf(yield* messageOf(id)).match(/<@[^>]*>/gu) ?? []
      })
      assert.deepStrictEqual(yield* mentions(yield* buy()), [])
      const on = { "approval.created": { channel: true } }
      yield* set(ada, on)
      yield* set(vera, on)
      const id = yield* buy()
      assert.deepStrictEqual(yield* mentions(id), [`<@${account.id}>`])
      yield* slack.press(hub, account, yield* messageOf(id), "Approve")
      assert.notInclude(textOf(yield* shows(id, "Approved by Ada")), "<@")
      const hour = new Date().getUTCHours()
      const time = (hours: number) => `${String((hour + hours + 24) % 24).padStart(2, "0")}:00`
      yield* set(ada, { quiet_hours: { from: time(-2), to: time(3) } })
      assert.deepStrictEqual(yield* mentions(yield* buy()), [])
    }))

  it.effect("filters: a smallest amount, agents, and events", () =>
    Effect.gen(function*() {
      const { agent, buy, hub, messageOf, owner, slack } = yield* scene({ min_cents: 5_000 })
      const small = yield* buy(4_999)
      const large = yield* buy(5_000)
      yield* messageOf(large)
      assert.isFalse(slack.messages().some((message) => textOf(message).includes(small)))
      const refused = yield* hub.api("POST", "/notice-channels", {
        cookie: owner.cookie,
        body: { kind: "slack", secret: "slack", target: "C1", agent_ids: [agent.id, "agt_00000000000000000000000000"] }
      })
      assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "agent_ids.1"])
    }))

  it.effect("a failed message is tried again, a refusal is shown, and a test reports the provider's words", () =>
    Effect.gen(function*() {
      const { buy, channel, cookie, hub, messageOf, shows, slack } = yield* scene()
      slack.misbehave(cutsOff, answers(429, { ok: false, error: "ratelimited" }, { "retry-after": "1" }))
      yield* messageOf(yield* buy())
      const path = `/notice-channels/${channel.id}`
      slack.misbehave(answers(200, { ok: false, error: "channel_not_found" }))
      const failed = yield* hub.api("POST", `${path}/test`, { cookie })
      assert.deepStrictEqual([failed.status, failed.body.error.message], [502, "Slack answered channel_not_found."])
      assert.strictEqual((yield* hub.api("GET", path, { cookie })).body.problem, "Slack answered channel_not_found.")
      const tested = expectStatus(yield* hub.api("POST", `${path}/test`, { cookie }), 200).body
      assert.deepStrictEqual([tested.delivered, tested.interactive], [true, true])
      assert.isUndefined((yield* hub.api("GET", path, { cookie })).body.problem)
      // A decision whose update was refused for a while is shown once the messenger accepts it.
      const id = yield* buy()
      yield* messageOf(id)
      slack.misbehave(cutsOff)
      expectStatus(yield* hub.api("POST", `/approvals/${id}/reject`, { cookie, body: {} }), 200)
      yield* shows(id, "Rejected by Olga")
    }))

  it.effect("are listed, changed by version, and deleted with their messages", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, channel, cookie, hub, messageOf, org, slack } = yield* scene()
      const path = `/notice-channels/${channel.id}`
      const patched = yield* hub.api("PATCH", path, {
        cookie,
        body: { min_cents: 100, expected_version: channel.version }
      })
      assert.deepStrictEqual([patched.body.min_cents, patched.body.version], [100, channel.version + 1])
      const stale = yield* hub.api("PATCH", path, {
        cookie,
        body: { min_cents: null, expected_version: channel.version }
      })
      assert.strictEqual(stale.body.error.code, "version_conflict")
      const list = yield* hub.api("GET", "/notice-channels?kind=slack", { cookie })
      assert.deepStrictEqual(list.body.data.map(({ id }: { readonly id: string }) => id), [channel.id])
      const account = yield* linked(hub, slack, yield* makePerson(hub, org, "operator", "Ada"))
      const id = yield* buy()
      const message = yield* messageOf(id)
      expectStatus(yield* hub.api("DELETE", path, { cookie }), 204)
      yield* slack.press(hub, account, message, "Approve")
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
      const log = yield* hub.api("GET", "/audit-logs?action=notice_channel.*", { cookie })
      assert.deepStrictEqual(actionsOf(log), [
        "notice_channel.deleted",
        "notice_channel.updated",
        "notice_channel.created"
      ])
    }))
})

layer(WorldTest, { excludeTestServices: true })("linked accounts", (it) => {
  it.effect("begin and end in a session: code, command, and a stepped-up confirmation", () =>
    Effect.gen(function*() {
      const { hubs: [hub], slack } = yield* World
      const org = yield* makeWorkspace(hub)
      const ada = yield* makePerson(hub, org, "operator", "Ada <!channel>")
      const { cookie } = ada
      const account = { team: "T1", id: `U${++count}`, name: "ada.l" }
      const { code, id } = expectStatus(yield* hub.api("POST", "/auth/messenger-links", { cookie }), 201).body
      const confirm = () => hub.api("POST", `/auth/messenger-links/${id}/confirm`, { cookie })
      assert.strictEqual((yield* confirm()).body.error.code, "step_up_required")
      yield* stepUp(hub, ada)
      assert.strictEqual((yield* confirm()).status, 409)
      const wrong = yield* slack.command(hub, account, "link AAAA-AAAA")
      assert.include(wrong.body.text, "wrong")
      const claimed = yield* slack.command(hub, account, `link ${code}`)
      assert.strictEqual(claimed.body.response_type, "ephemeral")
      // A name mentions nobody and links to nothing in the messenger either.
      assert.match(claimed.body.text, /confirm .* belongs to Ada &lt;!channel&gt;\./)
      // A code counts once, and an account that is not confirmed decides nothing.
      assert.include((yield* slack.command(hub, { ...account, id: "U_EVE" }, `link ${code}`)).body.text, "was used")
      const listed = (yield* hub.api("GET", "/auth/messenger-links", { cookie })).body.data
      const link = fitting(MessengerLink, listed[0])
      assert.deepStrictEqual([link.status, link.account, link.team], [
        "unconfirmed",
        { id: account.id, name: "ada.l" },
        "T1"
      ])
      assert.strictEqual(expectStatus(yield* confirm(), 200).body.status, "linked")
      // Another person cannot take a linked account.
      const bob = yield* makePerson(hub, org, "operator", "Bob")
      const other = expectStatus(yield* hub.api("POST", "/auth/messenger-links", bob), 201).body
      yield* slack.command(hub, account, `link ${other.code}`)
      yield* stepUp(hub, bob)
      const taken = yield* hub.api("POST", `/auth/messenger-links/${other.id}/confirm`, bob)
      assert.strictEqual(taken.body.error.code, "account_linked")
      assert.strictEqual((yield* hub.api("DELETE", `/auth/messenger-links/${id}`, bob)).status, 404)
      expectStatus(yield* hub.api("DELETE", `/auth/messenger-links/${id}`, { cookie }), 204)
      assert.deepStrictEqual((yield* hub.api("GET", "/auth/messenger-links", { cookie })).body.data, [])
      expectStatus(yield* hub.api("POST", `/auth/messenger-links/${other.id}/confirm`, bob), 200)
    }))

  it.effect("belong to one person when two confirm the same account at the same moment", () =>
    Effect.gen(function*() {
      const { hubs: [hub, second], slack } = yield* World
      const org = yield* makeWorkspace(hub)
      const people = [yield* makePerson(hub, org, "operator", "Ada"), yield* makePerson(hub, org, "operator", "Bob")]
      yield* Effect.forEach(people, (person) => stepUp(hub, person))
      for (let round = 0; round < 5; round++) {
        const account = { team: "T1", id: `U${++count}`, name: "shared" }
        const ids = yield* Effect.forEach(people, (person) =>
          Effect.gen(function*() {
            const { code, id } = expectStatus(yield* hub.api("POST", "/auth/messenger-links", person), 201).body
            expectStatus(yield* slack.command(hub, account, `link ${code}`), 200)
            return id as string
          }))
        const confirmed = yield* Effect.forEach(ids, (id, at) =>
          [hub, second][at]!.api("POST", `/auth/messenger-links/${id}/confirm`, people[at]!), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          confirmed.map(({ status }) =>
            status
          ).toSorted(),
          [200, 409]
        )
      }
    }))

  it.effect("a removed account decides nothing from then on", () =>
    Effect.gen(function*() {
      const { approvalOf, buy, hub, messageOf, org, slack } = yield* scene()
      const ada = yield* makePerson(hub, org, "operator", "Ada")
      const account = yield* linked(hub, slack, ada)
      const id = yield* buy()
      const message = yield* messageOf(id)
      const [link] = (yield* hub.api("GET", "/auth/messenger-links", ada)).body.data
      expectStatus(yield* hub.api("DELETE", `/auth/messenger-links/${link.id}`, ada), 204)
      yield* slack.press(hub, account, message, "Approve")
      assert.include(slack.state.replies.at(-1), "Link your account first")
      assert.strictEqual((yield* approvalOf(id)).status, "pending")
    }))
})
