/**
 * Every endpoint of the contract against every kind of wrong call. The list is the contract's own, so a new endpoint is
 * tested at once; a part that cannot be derived (a valid body, an object that its path names) fails the test until it
 * is added here.
 */
import { permissions, rolePermissions } from "@countersign/domain/auth"
import type { OwnCredential } from "@countersign/domain/auth"
import { newId, type UserId } from "@countersign/domain/ids"
import { FactorsRepository, newFactorId } from "@countersign/hub/factors/repository"
import { OidcRepository } from "@countersign/hub/oidc/repository"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { chatOf } from "../../support/chat.ts"
import { stripeCheckout } from "../../support/checkout.ts"
import { makeDevice, offer } from "../../support/device.ts"
import { endpoints, type WalkedEndpoint } from "../../support/endpoints.ts"
import {
  type Answer,
  type Call,
  expectStatus,
  HubTest,
  makeAgent,
  makeService,
  makeToken,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { makePerson, makeWorkspace, password } from "../../support/people.ts"
import { scratchFolder } from "../../support/scratch.ts"

/** Bodies that cannot be derived from the schema: ids, expressions, objects that refer to one another. */
const bodies: Readonly<Record<string, (world: World["Service"]) => unknown>> = {
  "service_requests.dispatch": () => ({ service: "echo", operation: "say", payload: {} }),
  "service_requests.estimate": ({ things }) => ({
    service: "echo",
    operation: "say",
    payload: {},
    agent_id: things.agent
  }),
  "service_requests.settle": () => ({ status: "failed", comment: "no answer" }),
  "approvals.approve": () => ({ comment: "yes" }),
  "approvals.reject": () => ({ comment: "no" }),
  "approvals.decide": ({ things }) => ({ ids: [things.approval], decision: "reject" }),
  "approvals.edit": () => ({ payload: {}, payload_digest: "0".repeat(64) }),
  "standing_approvals.preview": ({ things }) => ({
    agent_id: things.agent,
    service: "echo",
    operation: "say",
    max_cost_cents: 1
  }),
  "auth.setup": () => ({ token: "none", email: "a@b.test", password }),
  "auth.login": () => ({ email: "a@b.test", password }),
  "auth.loginFactor": () => ({ challenge_id: "0".repeat(43), totp: "000000" }),
  "auth.stepUp": () => ({ totp: "000000" }),
  "device_sign_in.start": () => ({ client_name: "cli", scopes: ["agents:read"] }),
  "device_sign_in.token": () => ({ device_code: "0".repeat(43) }),
  "device_sign_in.confirm": () => ({}),
  "factors.add": () => ({ kind: "totp", id: newId("fac"), code: "000000" }),
  "factors.passkeyOptions": () => ({ purpose: "login", challenge_id: "0".repeat(43) }),
  "factors.rename": () => ({ name: "f" }),
  "auth.password": () => ({ current_password: "wrong wrong wrong", new_password: "wrong wrong wrong too" }),
  "mcp_tools.accept": () => ({ name: "tool", digest: "0".repeat(64) }),
  "mcp_tools.refuse": () => ({ name: "tool", digest: "0".repeat(64) }),
  "tokens.create": () => ({ name: "t", scopes: ["agents:read"] }),
  "tokens.update": () => ({ name: "t" }),
  "members.remove": () => ({}),
  "teams.create": () => ({ name: newId("team") }),
  "teams.switch": ({ things }) => ({ team_id: things.team }),
  "teams.update": () => ({ description: "d" }),
  "teams.addMember": ({ things }) => ({ user_id: things.member, role: "worker" }),
  "teams.updateMember": () => ({ role: "lead" }),
  "teams.moveBudget": () => ({ amount_cents: 1, direction: "allocate" }),
  "teams.allocate": () => ({ amount_cents: 1, direction: "allocate" }),
  "invites.create": () => ({ email: `${newId("usr")}@b.test`, role: "viewer" }),
  "invites.accept": () => ({ name: "n", password }),
  "speech.say": () => ({ text: "Hello.", voice: "kal16" }),
  "models.addFavorite": () => ({ model_id: "openai/gpt-4o" }),
  "views.create": () => ({ screen: "requests", name: "v", query: "" }),
  "views.update": () => ({ name: "v" }),
  "notifications.update": () => ({ email_digest_minutes: 6, "approval.created": { email: false } }),
  "notifications.subscribe": () => ({
    endpoint: "https://push.example/1",
    keys: {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg"
    }
  }),
  "workspaces.create": () => ({ name: "w" }),
  "workspaces.switch": ({ things }) => ({ workspace_id: things.workspace }),
  "workspaces.update": () => ({ name: "w" }),
  "agents.create": () => ({ name: "a" }),
  "agents.update": () => ({ name: "a" }),
  "publishing.publishAgent": () => ({ scope: "org" }),
  "publishing.decide": () => ({ status: "rejected" }),
  "skills.propose": () => ({ name: "s", instructions: "Look it up." }),
  "skills.decideProposal": () => ({ status: "rejected" }),
  "conversations.create": () => ({ title: "c" }),
  "conversations.addMessage": () => ({ role: "user", content: "hello" }),
  "chat.create": ({ things }) => ({ agent_id: things.agent }),
  "chat.update": () => ({ title: "c" }),
  "chat.turn": ({ things }) => ({ session_id: things.chatSession, continue_from: things.chatTurn }),
  "chat.decide": () => ({ decision: "reject" }),
  "memories.create": () => ({ content: "Likes aisle seats.", kind: "preference" }),
  "memories.update": () => ({ importance: 1 }),
  "agent_requests.create": () => ({ kind: "question", title: "Which color?" }),
  "agent_requests.answer": () => ({ status: "dismissed" }),
  "agents.transfer": ({ things }) => ({ team_id: things.team }),
  "families.spawn": () => ({ name: "c", services: [], monthly_budget_cents: 0 }),
  "families.estimate": () => ({ name: "c", services: [], monthly_budget_cents: 0 }),
  "families.clone": () => ({ name: "c" }),
  "delegated_tasks.create": ({ things }) => ({
    to_agent_id: things.agent,
    goal: "g",
    budget_cents: 0,
    services: []
  }),
  "delegated_tasks.reattach": () => ({}),
  "delegated_tasks.update": () => ({ status: "in_progress" }),
  "bindings.put": () => ({ service: "echo", operations: ["*"] }),
  "ledger.topUp": () => ({ amount_cents: 1 }),
  "budget_requests.create": ({ things }) => ({
    agent_id: things.agent,
    amount_cents: 1,
    period: "month",
    reason: "r"
  }),
  "budget_requests.decide": () => ({ status: "rejected" }),
  "billing.checkout": () => ({ amount_cents: 500 }),
  "promo.redeem": () => ({ code: "WELCOME" }),
  "promo.create": () => ({ code: "another", amount_cents: 1, max_redemptions: 1 }),
  "policies.create": () => ({ name: "p", when: "true", then: "allow" }),
  "policies.test": ({ things }) => ({ policy_id: things.policy }),
  "policies.update": () => ({ name: "p" }),
  "secrets.put": () => ({ value: "v" }),
  "apps.putProvider": () => ({ client_id: "c", client_secret: "s" }),
  "apps.create": () => ({ provider: "notion" }),
  "apps.update": () => ({ name: "a" }),
  "services.create": () => weather("another"),
  "services.import": () => ({ name: "imported", openapi: "{}", price: { type: "fixed", cents: 1 } }),
  "services.update": () => ({ enabled: true }),
  "storage.presignUpload": () => ({ key: "k", content_type: "text/plain", size_bytes: 1 }),
  "storage.update": () => ({ key: "k2" }),
  "knowledge.createCollection": () => ({ name: "c" }),
  "knowledge.addDocument": () => ({ text: "t" }),
  "knowledge.query": () => ({ query: "q" }),
  "workflows.create": () => ({ name: "w" }),
  "workflows.update": () => ({ name: "w" }),
  "workflows.import": () => ({ format: "countersign-workflow/1", name: "w" }),
  "workflows.fromTemplate": () => ({ template_id: newId("tpl") }),
  "workflows.createVersion": () => definition,
  "workflows.publish": () => ({ note: "n" }),
  "workflows.grant": ({ things }) => ({ agent_id: things.agent }),
  "workflow_runs.start": ({ things }) => ({ version_id: things.workflowVersion, mode: "test" }),
  "workflow_runs.estimate": ({ things }) => ({ version_id: things.workflowVersion }),
  "workflow_runs.rerunFailed": () => ({}),
  "workflow_runs.retryStep": () => ({}),
  "workflow_runs.callback": () => ({}),
  "workflows.share": () => ({ visibility: "org" }),
  "scheduled_tasks.create": ({ things }) => ({ name: "s", agent_id: things.agent, cron: "0 9 * * *", action: saying }),
  "scheduled_tasks.update": () => ({ name: "s" }),
  "scheduled_tasks.setStatus": () => ({ status: "active" }),
  "triggers.create": ({ things }) => ({ kind: "webhook", agent_id: things.agent, action: saying }),
  "triggers.update": () => ({ name: "t" }),
  "triggers.rotateSecret": () => ({ grace_seconds: 0 }),
  "triggers.test": () => ({ body: {} }),
  "notice_channels.create": () => ({ kind: "slack", secret: "weather_key", target: "C1" }),
  "notice_channels.update": () => ({ target: "C2" }),
  "webhook_endpoints.create": () => ({ url: "https://hooks.example.com/" }),
  "webhook_endpoints.update": () => ({ description: "d" }),
  "webhook_endpoints.rotateSecret": () => ({ grace_seconds: 0 }),
  "webhook_endpoints.replay": () => ({ since: "2026-01-01" }),
  "devices.register": () => offer,
  "devices.update": () => ({ name: "d" }),
  "devices.heartbeat": () => ({ status: "online" }),
  "device_pairing.start": () => offer,
  "device_pairing.confirm": () => ({ granted: ["fs.read"] }),
  "device_sessions.update": () => ({ working_directory: "/" }),
  "device_sessions.queue": () => ({ tool: "shell.run", input: { argv: ["true"] } }),
  "device_commands.ack": () => ({ lease: 1 }),
  "device_commands.state": () => ({ lease: 1, state: "running" }),
  "device_commands.output": () => ({ lease: 1, seq: 0, stream: "stdout", data: "" }),
  "device_commands.done": () => ({ lease: 1, outcome: "succeeded" })
}

/** Endpoints of people without a required permission: their services check it, or everyone has it. */
const unpermitted = [
  "auth.me",
  "workspaces.list",
  "workspaces.get",
  "workspaces.create",
  "workspaces.switch",
  "workspaces.update",
  "events.stream",
  "app_callback.callback",
  "search.find",
  "publishing.decide",
  "publishing.revoke",
  "invites.list",
  "invites.create",
  "invites.revokeByQuery",
  "invites.revoke",
  "speech.voices",
  "speech.say",
  "models.list",
  "models.listOpenRouter",
  "models.favorites",
  "models.addFavorite",
  "models.favorite",
  "models.removeFavorite",
  "views.list",
  "views.create",
  "views.update",
  "views.remove",
  "notifications.settings",
  "notifications.update",
  "notifications.preview",
  "notifications.previewPage",
  "notifications.pushKey",
  "notifications.subscriptions",
  "notifications.subscribe",
  "notifications.unsubscribe",
  "budget_requests.create",
  "budget_requests.decide"
]

const saying = { type: "service_request", service: "echo", operation: "say", payload: {} }

const weather = (name: string) => ({
  name,
  kind: "http",
  base_url: "https://weather.example",
  operations: [{
    name: "now",
    method: "GET",
    path: "/now",
    payload_schema: { type: "object" },
    price: { type: "fixed", cents: 1 }
  }]
})

const definition = {
  steps: [{ label: "Say", type: "service_call", config: { service: "echo", operation: "say", payload: {} } }],
  edges: []
}

interface Things {
  readonly agent: string
  readonly agentRequest: string
  readonly app: string
  readonly approval: string
  readonly blob: string
  readonly channel: string
  readonly link: string
  readonly budgetRequest: string
  readonly chatApproval: string
  readonly chatArtifact: string
  readonly chatSession: string
  readonly chatTurn: string
  readonly collection: string
  readonly command: string
  readonly conversation: string
  readonly device: string
  readonly deviceSession: string
  readonly document: string
  readonly factor: string
  readonly invite: string
  readonly inviteToken: string
  readonly member: string
  readonly memory: string
  readonly object: string
  readonly payment: string
  readonly pairing: string
  readonly policy: string
  readonly proposal: string
  readonly publication: string
  readonly publishRequest: string
  readonly request: string
  readonly run: string
  readonly schedule: string
  readonly session: string
  readonly signIn: string
  readonly standing: string
  readonly team: string
  readonly task: string
  readonly token: string
  readonly identity: string
  readonly trigger: string
  readonly subscription: string
  readonly view: string
  readonly webhook: string
  readonly webhookDelivery: string
  readonly workflow: string
  readonly workflowVersion: string
  readonly workspace: string
}

/** By path prefix: the object that its first parameter names, and an unused id of that kind. */
const named: ReadonlyArray<readonly [prefix: string, thing: (things: Things) => string, missing: string]> = [
  ["/service-requests/", ({ request }) => request, newId("req")],
  ["/approvals/", ({ approval }) => approval, newId("apr")],
  ["/chat/approvals/", ({ chatApproval }) => chatApproval, newId("apr")],
  ["/chat/artifacts/", ({ chatArtifact }) => chatArtifact, newId("art")],
  ["/chat/sessions/", ({ chatSession }) => chatSession, newId("cht")],
  ["/chat/turns/", ({ chatTurn }) => chatTurn, newId("trn")],
  ["/standing-approvals/", ({ standing }) => standing, newId("sta")],
  ["/auth/device/", ({ signIn }) => signIn, "ZZZZ-ZZZZ"],
  ["/auth/factors/", ({ factor }) => factor, newId("fac")],
  ["/auth/identities/", ({ identity }) => identity, "0".repeat(43)],
  ["/auth/sessions/", ({ session }) => session, newId("ses")],
  ["/auth/messenger-links/", ({ link }) => link, newId("mac")],
  ["/notice-channels/", ({ channel }) => channel, newId("ncn")],
  ["/budget-requests/", ({ budgetRequest }) => budgetRequest, newId("brq")],
  ["/orgs/", ({ workspace }) => workspace, newId("org")],
  ["/invites/", ({ inviteToken }) => inviteToken, "0".repeat(43)],
  ["/teams/", ({ team }) => team, newId("team")],
  ["/billing/checkout-sessions/", ({ payment }) => payment, newId("pay")],
  ["/promo/codes/", () => "welcome", "nothing"],
  ["/members/", ({ member }) => member, newId("usr")],
  ["/tokens/", ({ token }) => token, newId("pat")],
  ["/models/favorites/", () => "offline%2Fecho", "nothing"],
  ["/push/subscriptions/", ({ subscription }) => subscription, newId("psh")],
  ["/views/", ({ view }) => view, newId("viw")],
  ["/workspaces/", ({ workspace }) => workspace, newId("org")],
  ["/webhooks/", () => "weather", "nothing"],
  ["/publish-requests/", ({ publishRequest }) => publishRequest, newId("pbr")],
  ["/publications/", ({ publication }) => publication, newId("pub")],
  ["/agent-requests/", ({ agentRequest }) => agentRequest, newId("arq")],
  ["/delegated-tasks/", ({ task }) => task, newId("dlg")],
  ["/agents/", ({ agent }) => agent, newId("agt")],
  ["/secrets/", () => "weather_key", "nothing"],
  ["/policies/", ({ policy }) => policy, newId("pol")],
  ["/apps/providers/", () => "slack", "nothing"],
  ["/apps/", ({ app }) => app, newId("app")],
  ["/services/", () => "weather", "nothing"],
  ["/scheduled-tasks/", ({ schedule }) => schedule, newId("sch")],
  ["/triggers/", ({ trigger }) => trigger, newId("trg")],
  ["/webhook-endpoints/", ({ webhook }) => webhook, newId("whk")],
  ["/storage/objects/", ({ object }) => object, newId("obj")],
  ["/storage/blobs/", ({ blob }) => blob, "nothing"],
  ["/knowledge/collections/", ({ collection }) => collection, newId("col")],
  ["/workflows/", ({ workflow }) => workflow, newId("wfl")],
  ["/workflow-runs/", ({ run }) => run, newId("run")],
  ["/workflow-callbacks/", () => newId("stp"), "nothing"],
  ["/devices/pair/", ({ pairing }) => pairing, "ZZZZ-ZZZZ"],
  ["/devices/sessions/", ({ deviceSession }) => deviceSession, newId("dss")],
  ["/devices/commands/", ({ command }) => command, newId("cmd")],
  ["/devices/", ({ device }) => device, newId("dev")]
]

/** Later parameters of a path, by name; an id of the kind where the object does not matter. */
const inner: Readonly<Record<string, (things: Things) => string>> = {
  service: () => "echo",
  did: ({ webhookDelivery = newId("dlv") }: Partial<Things>) => webhookDelivery,
  docId: ({ document = newId("doc") }: Partial<Things>) => document,
  skillId: () => "echo.say",
  pid: ({ proposal = newId("skp") }: Partial<Things>) => proposal,
  cid: ({ conversation = newId("cnv") }: Partial<Things>) => conversation,
  memoryId: ({ memory = newId("mem") }: Partial<Things>) => memory,
  userId: ({ member = newId("usr") }: Partial<Things>) => member,
  uid: ({ member = newId("usr") }: Partial<Things>) => member,
  inviteId: ({ invite = newId("inv") }: Partial<Things>) => invite,
  versionId: ({ workflowVersion = newId("wfv") }: Partial<Things>) => workflowVersion,
  label: () => "A",
  token: () => "t",
  taskId: ({ task = newId("dlg") }: Partial<Things>) => task
}

/** The settings without which a hook is 404. */
const hookEnv = {
  HUB_SLACK_SIGNING_SECRET: "s",
  HUB_DISCORD_PUBLIC_KEY: "11".repeat(32),
  HUB_TELNYX_PUBLIC_KEY: Buffer.alloc(32, 1).toString("base64")
}

/** Inbound hooks ignore unknown query parameters. */
const isHook = (id: string): boolean =>
  /^(?:webhooks|payment_hooks|messenger_hooks|voice_hooks|app_callback|trigger_hooks)\./.test(id)
/** A device that pairs belongs to no person yet, and its code may be tried ten times a minute. */
const isPairing = ({ id }: WalkedEndpoint): boolean => /^device_(?:pairing|sign_in)\./.test(id)

/** This hub has no identity provider, so they answer 404 whatever they are sent. */
const isUnconfigured = (id: string): boolean => ["oidc.start", "oidc.callback", "oidc.link", "oidc.logout"].includes(id)

/** Promo codes belong to no workspace: without the right to them every code is 403. */
const isOfHub = ({ id }: WalkedEndpoint): boolean => id === "promo.get" || id === "promo.remove"

interface Person {
  readonly cookie: string
  readonly pat: string
}

/** One workspace with one of everything, its viewer, and a member of another workspace. */
class World extends Context.Service<World, {
  readonly things: Things
  readonly owner: Person & { readonly key: string }
  /** Its token has the one scope that no endpoint here requires. */
  readonly viewer: Person
  readonly stranger: Person & { readonly key: string }
}>()("test/hub/edge/World") {}

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    yield* topUp(hub, owner, 1_000)
    const agent = yield* makeAgent(hub, owner, {
      bindings: [
        { service: "echo", operations: ["*"], approval_threshold_cents: 0 },
        { service: "llm", operations: ["chat"] }
      ]
    })
    const say = { key: agent.key, body: { service: "echo", operation: "say", payload: {} } }
    const first = expectStatus(yield* api("POST", "/service-requests", say), 200)
    const remembered = expectStatus(
      yield* api("POST", `/approvals/${first.body.approval_id}/approve`, {
        cookie: owner.cookie,
        body: { remember: { max_cost_cents: 1, max_uses: 1, expires_at: new Date(Date.now() + 60_000).toISOString() } }
      }),
      200
    )
    yield* api("POST", "/service-requests", say)
    const waiting = expectStatus(yield* api("POST", "/service-requests", say), 200)
    yield* makeService(hub, owner, weather("weather"))
    expectStatus(yield* api("PUT", "/secrets/weather_key", { cookie: owner.cookie, body: { value: "s3cret" } }), 201)
    const policy = expectStatus(
      yield* api("POST", "/policies", { cookie: owner.cookie, body: { name: "p", when: "false", then: "block" } }),
      201
    )
    const token = expectStatus(
      yield* api("POST", "/tokens", { cookie: owner.cookie, body: { name: "t", scopes: permissions } }),
      201
    )
    expectStatus(
      yield* api("POST", "/models/favorites", { cookie: owner.cookie, body: { model_id: "offline/echo" } }),
      201
    )
    const view = expectStatus(
      yield* api("POST", "/views", { cookie: owner.cookie, body: { screen: "requests", name: "v", query: "" } }),
      201
    )
    const subscription = expectStatus(
      yield* api("POST", "/push/subscriptions", {
        cookie: owner.cookie,
        body: {
          endpoint: "https://push.example/1",
          keys: {
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg"
          }
        }
      }),
      201
    )
    const schedule = expectStatus(
      yield* api("POST", "/scheduled-tasks", {
        cookie: owner.cookie,
        body: { name: "s", agent_id: agent.id, cron: "0 9 * * *", action: saying, enabled: false }
      }),
      201
    )
    const trigger = expectStatus(
      yield* api("POST", "/triggers", {
        cookie: owner.cookie,
        body: { kind: "webhook", agent_id: agent.id, action: saying }
      }),
      201
    )
    const webhook = expectStatus(
      yield* api("POST", "/webhook-endpoints", {
        cookie: owner.cookie,
        body: { url: "https://hooks.example.com/", types: ["payment.updated"] }
      }),
      201
    )
    const webhookDelivery = expectStatus(
      yield* api("POST", `/webhook-endpoints/${webhook.body.id}/test`, { cookie: owner.cookie }),
      202
    )
    const budgetRequest = expectStatus(
      yield* api("POST", "/budget-requests", {
        cookie: owner.cookie,
        body: { agent_id: agent.id, amount_cents: 1, period: "month", operation: "echo.say", reason: "r" }
      }),
      201
    )
    const agentRequest = expectStatus(
      yield* api("POST", "/agent-requests", { key: agent.key, body: { kind: "question", title: "Which color?" } }),
      201
    )
    const proposal = expectStatus(
      yield* api("POST", `/agents/${agent.id}/skill-proposals`, {
        key: agent.key,
        body: { name: "s", instructions: "Look it up." }
      }),
      201
    )
    const conversation = expectStatus(
      yield* api("POST", `/agents/${agent.id}/conversations`, { key: agent.key, body: {} }),
      201
    )
    const chat = chatOf(hub, { key: agent.key })
    const chatSession = yield* chat.session()
    const longTurn = yield* chat.turn({ session_id: chatSession.id, message: `#script\nsay ${"€".repeat(22_000)}` })
    const chatTurn = yield* chat.turn({
      session_id: chatSession.id,
      message: `#script\ncall echo.say {}\n---\nsay Never.`
    })
    const chatEvents = chatTurn.frames.map(({ data }) => data)
    const memory = expectStatus(
      yield* api("POST", `/agents/${agent.id}/memories`, {
        key: agent.key,
        body: { content: "Likes aisle seats.", kind: "preference" }
      }),
      201
    )
    const publishing = Effect.map(
      api("POST", `/agents/${agent.id}/publish`, { cookie: owner.cookie, body: { scope: "org" } }),
      (answer) => expectStatus(answer, 201).body.id
    )
    const published = expectStatus(
      yield* api("PATCH", `/publish-requests/${yield* publishing}`, {
        cookie: owner.cookie,
        body: { status: "approved" }
      }),
      200
    )
    const publishRequest = yield* publishing
    const as = { cookie: owner.cookie }
    const team = expectStatus(yield* api("POST", "/teams", { ...as, body: { name: "t" } }), 201).body.id
    const member = { user_id: owner.user, role: "lead" }
    expectStatus(yield* api("POST", `/teams/${team}/members`, { ...as, body: member }), 201)
    const money = { amount_cents: 1, direction: "allocate" }
    expectStatus(yield* api("POST", `/teams/${team}/budget`, { ...as, body: money }), 200)
    expectStatus(
      yield* api("POST", `/teams/${team}/workers/${owner.user}/budget/allocate`, { ...as, body: money }),
      200
    )
    const invite = expectStatus(
      yield* api("POST", `/orgs/${owner.org}/invites`, { ...as, body: { email: "b@c.test", role: "viewer" } }),
      201
    )
    const child = expectStatus(
      yield* api("POST", "/agents/spawn", {
        key: agent.key,
        body: { name: "child", services: [], monthly_budget_cents: 0 }
      }),
      201
    )
    const task = expectStatus(
      yield* api("POST", `/agents/${agent.id}/delegated-tasks`, {
        key: agent.key,
        body: { to_agent_id: child.body.id, goal: "g", budget_cents: 0, services: [] }
      }),
      201
    )
    const payment = expectStatus(
      yield* api("POST", "/billing/checkout-sessions", { cookie: owner.cookie, body: { amount_cents: 500 } }),
      201
    )
    const channel = expectStatus(
      yield* api("POST", "/notice-channels", {
        cookie: owner.cookie,
        body: { kind: "slack", secret: "weather_key", target: "C1" }
      }),
      201
    )
    const link = expectStatus(yield* api("POST", "/auth/messenger-links", { cookie: owner.cookie }), 201)
    expectStatus(
      yield* api("POST", "/promo/codes", {
        cookie: owner.cookie,
        body: { code: "Welcome", amount_cents: 1, max_redemptions: 1, expires_at: "2099-01-01" }
      }),
      201
    )
    const provider = { client_id: "c", client_secret: "s" }
    expectStatus(yield* api("PUT", "/apps/providers/notion", { ...as, body: provider }), 200)
    const app = expectStatus(yield* api("POST", "/apps", { ...as, body: { provider: "notion" } }), 201)
    const object = expectStatus(
      yield* api("POST", "/storage/objects?key=first", {
        ...as,
        headers: { "content-type": "application/octet-stream" },
        body: "x"
      }),
      201
    ).body.id
    const download = expectStatus(yield* api("GET", `/storage/objects/${object}/download`, as), 302)
    const collection = expectStatus(
      yield* api("POST", "/knowledge/collections", { ...as, body: { name: "first" } }),
      201
    ).body.id
    const document = expectStatus(
      yield* api("POST", `/knowledge/collections/${collection}/documents`, { ...as, body: { text: "first" } }),
      202
    ).body.id
    const workflow = expectStatus(yield* api("POST", "/workflows", { ...as, body: { name: "first" } }), 201).body.id
    const workflowVersion = expectStatus(
      yield* api("POST", `/workflows/${workflow}/versions`, { ...as, body: definition }),
      201
    ).body.id
    expectStatus(
      yield* api("POST", `/workflows/${workflow}/agents`, { cookie: owner.cookie, body: { agent_id: agent.id } }),
      201
    )
    const run = expectStatus(
      yield* api("POST", `/workflows/${workflow}/runs`, {
        cookie: owner.cookie,
        body: { version_id: workflowVersion, mode: "test" }
      }),
      202
    ).body.run.id
    const device = yield* makeDevice(hub, owner)
    const beat = expectStatus(yield* device.heartbeat(), 200)
    const command = expectStatus(
      yield* api("POST", `/devices/sessions/${beat.body.session_id}/commands`, {
        cookie: owner.cookie,
        body: { tool: "shell.run", input: { argv: ["true"] } }
      }),
      201
    )
    const pairing = expectStatus(yield* api("POST", "/devices/pair", { body: offer }), 201)
    const me = expectStatus(yield* api("GET", "/auth/me", { cookie: owner.cookie }), 200)
    const signIn = expectStatus(
      yield* api("POST", "/auth/device", { body: { client_name: "cli", scopes: ["agents:read"] } }),
      200
    )
    const factor = { id: newFactorId(), kind: "passkey", name: "f", credential_id: "c", sign_count: 0 } as const
    yield* hub.run(
      Effect.flatMap(
        FactorsRepository,
        (factors) => factors.insert(owner.user, { ...factor, public_key: new Uint8Array(1), transports: [] })
      )
    )
    yield* hub.run(
      Effect.flatMap(
        OidcRepository,
        (identities) =>
          identities.link({ issuer: "https://idp.test", subject: "s", email: null, user_id: owner.user as UserId })
      )
    )
    const [identity] = expectStatus(yield* api("GET", "/auth/identities", { cookie: owner.cookie }), 200).body.data
    const viewer = yield* makePerson(hub, owner.org, "viewer")
    const stranger = yield* makePerson(hub, yield* makeWorkspace(hub), "owner")
    return {
      things: {
        identity: identity.id,
        agent: agent.id,
        agentRequest: agentRequest.body.id,
        app: app.body.id,
        approval: waiting.body.approval_id,
        blob: (download.headers.get("location") ?? "").split("/").at(-1)!,
        budgetRequest: budgetRequest.body.id,
        chatApproval: chatEvents.find(({ approval_id }) => approval_id !== undefined).approval_id,
        chatArtifact: longTurn.frames.at(-2)?.data.message.parts[0].artifact_id,
        chatSession: chatSession.id,
        chatTurn: chatEvents[0].turn_id,
        collection,
        command: command.body.id,
        conversation: conversation.body.id,
        device: device.id,
        deviceSession: beat.body.session_id,
        document,
        invite: invite.body.id,
        inviteToken: invite.body.token,
        member: owner.user,
        memory: memory.body.id,
        object,
        payment: payment.body.id,
        pairing: pairing.body.code,
        policy: policy.body.id,
        proposal: proposal.body.id,
        publication: published.body.publication_id,
        publishRequest,
        request: waiting.body.id,
        run,
        schedule: schedule.body.id,
        factor: factor.id,
        signIn: signIn.body.user_code,
        session: me.body.via.session_id,
        standing: remembered.body.standing_approval.id,
        team,
        task: task.body.id,
        token: token.body.id,
        trigger: trigger.body.id,
        subscription: subscription.body.id,
        channel: channel.body.id,
        link: link.body.id,
        view: view.body.id,
        webhook: webhook.body.id,
        webhookDelivery: webhookDelivery.body.id,
        workflow,
        workflowVersion,
        workspace: owner.org
      },
      owner: { cookie: owner.cookie, pat: token.body.token, key: agent.key },
      viewer: { cookie: viewer.cookie, pat: yield* makeToken(hub, owner, ["devices:grant_shell"]) },
      stranger: {
        cookie: stranger.cookie,
        pat: yield* makeToken(hub, stranger, permissions),
        key: (yield* makeAgent(hub, stranger, { bindings: [{ service: "knowledge", operations: ["query"] }] })).key
      }
    }
  })
)

const internals = new RegExp(
  [
    /node_modules|\.ts\b|\/work\/|\bat [A-Za-z.]+ \(/,
    /\bselect\b.+\bfrom\b|\binsert into\b/,
    /SqlError|PgClient|Effect\.|relation "|column "/
  ].map(({ source }) => source).join("|"),
  "i"
)

/** The rules for every error, whatever its source. */
const checkEnvelope = (context: string, answer: Answer): void => {
  if (answer.status < 400 || context.startsWith("HEAD ")) return
  assert.isBelow(answer.status, 500, `${context}: ${answer.text}`)
  assert.strictEqual(answer.headers.get("content-type"), "application/json; charset=utf-8", context)
  assert.deepStrictEqual(Object.keys(answer.body), ["error"], context)
  const { code, data: _data, details, message, request_id, ...rest } = answer.body.error
  assert.deepStrictEqual([typeof code, typeof message, rest], ["string", "string", {}], `${context}: ${answer.text}`)
  assert.notStrictEqual(message, "", context)
  assert.strictEqual(request_id, answer.headers.get("x-request-id"), context)
  for (const detail of details ?? []) assert.deepStrictEqual(Object.keys(detail).sort(), ["message", "path"], context)
  assert.notMatch(answer.text, internals, context)
  if (answer.status === 401) assert.isString(answer.headers.get("www-authenticate"), context)
}

/** An endpoint's path with the ids of its parameters, or with `id` for the first. */
const pathOf = (endpoint: WalkedEndpoint, things: Things, id?: string): string => {
  if (endpoint.params.length === 0) return endpoint.path
  const found = named.find(([prefix]) => endpoint.path.startsWith(prefix))
  if (found === undefined) throw new Error(`${endpoint.id}: say above what ${endpoint.path} names`)
  return endpoint.path.replace(/:[A-Za-z]\w*/, id ?? found[1](things)).replace(
    /:([A-Za-z]\w*)/g,
    (_, name: string) => inner[name]?.(things) ?? name
  )
}

/** A credential that the endpoint accepts. */
const validCredential = (
  { access, refusesTokens }: WalkedEndpoint,
  person: Person & { readonly key: string }
): Call => {
  if (refusesTokens === true) return { cookie: person.cookie }
  switch (access) {
    case "agent":
      return { key: person.key }
    case "user":
    case "any":
    case "device":
      return { pat: person.pat }
    case "session":
      return { cookie: person.cookie }
    case "public":
      return {}
  }
}

/** The statuses of the answers below, by endpoint. */
const statusesOf = new Map<string, Set<string>>()
const answered = (id: string): Set<string> => {
  const known = statusesOf.get(id) ?? new Set()
  statusesOf.set(id, known)
  return known
}

/** Calls that a public endpoint answers with 401, by its own check. */
const wrongCredentials: Readonly<Record<OwnCredential, ReadonlyArray<Call>>> = {
  "password": [{}],
  // A hub with an owner ignores setup tokens.
  "setup token": [],
  // A poll with a wrong code is 400, as RFC 8628 has it.
  "device code": [],
  // Without a provider the address does not exist.
  "logout token": [],
  "pairing secret": [{}, { pat: "0".repeat(43) }, { pat: "nothing of ours" }],
  "signature": [{ body: "{}" }, { body: "{}", headers: { "x-svc-signature": `sha256=${"0".repeat(64)}` } }],
  "metrics token": [{ headers: { "x-forwarded-for": "192.0.2.1" } }, {
    pat: "wrong",
    headers: { "x-forwarded-for": "192.0.2.1" }
  }],
  "optional agent key": [{ key: "agent_key_live_mistyped" }]
}

const HubWithPayments = Layer.unwrap(
  Effect.map(
    stripeCheckout,
    ({ env }) =>
      HubTest({
        env: { ...env, ...hookEnv, HUB_METRICS_TOKEN: "metrics", HUB_DATA_DIR: scratchFolder("countersign-endpoints-") }
      })
  )
)

layer(WorldTest.pipe(Layer.provideMerge(HubWithPayments)), {
  excludeTestServices: true
})("every endpoint", (it) => {
  const walk = (
    name: string,
    these: (endpoint: WalkedEndpoint) => boolean,
    visit: (endpoint: WalkedEndpoint, ask: {
      readonly call: (path: string, call?: Call, method?: string) => Effect.Effect<Answer>
      readonly path: string
      readonly body: unknown
      readonly world: World["Service"]
    }) => Effect.Effect<void>
  ) =>
    it.effect(name, () =>
      Effect.gen(function*() {
        const { api } = yield* TestHub
        const world = yield* World
        const walked = endpoints.filter(these)
        assert.isAbove(walked.length, 0)
        yield* Effect.forEach(walked, (endpoint) =>
          visit(endpoint, {
            world,
            path: pathOf(endpoint, world.things),
            body: endpoint.body === undefined ? undefined : bodies[endpoint.id]?.(world) ?? endpoint.body.sample,
            call: (path, call = {}, method = endpoint.method) =>
              Effect.tap(api(method, path, call), (answer) =>
                Effect.sync(() => {
                  if (method === endpoint.method) answered(endpoint.id).add(String(answer.status))
                  checkEnvelope(`${method} ${path} ${JSON.stringify(call).slice(0, 300)}`, answer)
                }))
          }), { concurrency: 4 })
      }), 300_000)

  walk(
    "has a valid body here",
    ({ body }) => body !== undefined,
    (endpoint, { body }) =>
      Effect.sync(() => {
        assert.deepStrictEqual(endpoint.body?.validator.validate(body), [], endpoint.id)
      })
  )

  walk(
    "for people declares its required permission",
    ({ access }) => access === "user" || access === "any",
    (endpoint) =>
      Effect.sync(() => {
        if (!unpermitted.includes(endpoint.id)) {
          assert.isTrue(endpoint.permission !== undefined && permissions.includes(endpoint.permission), endpoint.id)
        }
      })
  )

  walk(
    "with a filter by operation accepts a name with dots",
    ({ query }) => query !== undefined && "operation" in query,
    (endpoint, { call, path, world: { owner } }) =>
      Effect.gen(function*() {
        const answer = yield* call(`${path}?operation=shell.run`, { cookie: owner.cookie })
        assert.strictEqual(answer.status, 200, `${endpoint.id} ${answer.text}`)
      })
  )

  walk(
    "answers 401 without a credential, with an unknown one, and with a revoked one",
    ({ access }) => access !== "public",
    (endpoint, { call, path, body }) =>
      Effect.gen(function*() {
        const dead = "0".repeat(43)
        const calls: ReadonlyArray<Call> = [
          {},
          { cookie: "svc_session=" },
          { cookie: `svc_session=${dead}` },
          { pat: "" },
          { pat: "nothing of ours" },
          { pat: "agent_key_live_mistyped" },
          { pat: "svc_pat_live_mistyped" },
          { headers: { authorization: "Basic dXNlcjpwYXNz" } },
          { pat: "svc_device_live_0000" }
        ]
        for (const each of calls) {
          const answer = yield* call(path, { ...each, ...body === undefined ? {} : { body } })
          assert.deepStrictEqual([answer.status, answer.body.error.code, answer.body.error.data], [
            401,
            "unauthorized",
            {
              wants: endpoint.access
            }
          ], `${endpoint.id} ${JSON.stringify(each)}`)
        }
      })
  )

  walk(
    "with a separate credential check answers 401 to a wrong credential",
    ({ checks }) => checks !== undefined,
    (endpoint, { call, path, body, world: { things } }) =>
      Effect.gen(function*() {
        const address = isHook(endpoint.id) ? `${path}?org=${things.workspace}` : path
        for (const each of wrongCredentials[endpoint.checks!]) {
          const answer = yield* call(address, { ...body === undefined ? {} : { body }, ...each })
          assert.deepStrictEqual(
            [answer.status, answer.body.error.code],
            [401, "unauthorized"],
            `${endpoint.id} ${JSON.stringify(each)}`
          )
        }
      })
  )

  walk(
    "refuses a valid credential of another kind and names the right kind",
    ({ access }) => access !== "public",
    (endpoint, { call, path, body, world: { owner } }) =>
      Effect.gen(function*() {
        const outcomeOf = Effect.fnUntraced(function*(each: Call) {
          const { body: { error }, status } = yield* call(path, { ...each, ...body === undefined ? {} : { body } })
          return [status, error.code, ...error.data === undefined ? [] : [error.data.wants]]
        })
        const wanted = [401, "unauthorized", endpoint.access]
        if (endpoint.access === "agent") {
          assert.deepStrictEqual(yield* outcomeOf({ pat: owner.pat }), wanted, endpoint.id)
          assert.deepStrictEqual(yield* outcomeOf({ cookie: owner.cookie }), wanted, endpoint.id)
        } else if (endpoint.access !== "any") {
          assert.deepStrictEqual(yield* outcomeOf({ key: owner.key }), wanted, endpoint.id)
        }
        if (endpoint.access === "session") {
          assert.deepStrictEqual(yield* outcomeOf({ pat: owner.pat }), [403, "session_required"], endpoint.id)
        }
        // A bearer, if there is one, is the only credential that is read.
        assert.deepStrictEqual(yield* outcomeOf({ pat: "nothing of ours", cookie: owner.cookie }), wanted, endpoint.id)
      })
  )

  walk(
    "names the permission that a token's scopes or a role lack",
    ({ permission }) => permission !== undefined,
    (endpoint, { call, path, body, world: { viewer } }) =>
      Effect.gen(function*() {
        const outcomeOf = Effect.fnUntraced(function*(each: Call) {
          const { body: { error }, status } = yield* call(path, { ...each, ...body === undefined ? {} : { body } })
          return [status, error.code, error.data]
        })
        const wanted = [403, "forbidden", { permission: endpoint.permission }]
        if (endpoint.access !== "session") {
          assert.deepStrictEqual(yield* outcomeOf({ pat: viewer.pat }), wanted, endpoint.id)
        }
        if (!rolePermissions.viewer.has(endpoint.permission!)) {
          assert.deepStrictEqual(yield* outcomeOf({ cookie: viewer.cookie }), wanted, endpoint.id)
        }
      })
  )

  walk(
    "answers for another workspace's object as for a missing one",
    (endpoint) =>
      endpoint.params.length > 0 && endpoint.access !== "public" &&
      !["secrets.put", "apps.putProvider"].includes(endpoint.id) &&
      !isPairing(endpoint) && !isOfHub(endpoint),
    (endpoint, { call, body, path, world: { stranger } }) =>
      Effect.gen(function*() {
        const missing = named.find(([prefix]) => endpoint.path.startsWith(prefix))?.[2] ?? ""
        const sent = body === undefined ? {} : { body }
        const credentials: ReadonlyArray<Call> = endpoint.access === "session"
          ? [{ cookie: stranger.cookie }]
          : endpoint.access === "agent"
          ? [{ key: stranger.key }]
          : [
            ...endpoint.refusesTokens === true ? [] : [{ pat: stranger.pat }],
            { cookie: stranger.cookie },
            ...endpoint.access === "any" ? [{ key: stranger.key }] : []
          ]
        for (const credential of credentials) {
          const foreign = yield* call(path, { ...credential, ...sent })
          const none = yield* call(pathOf(endpoint, {} as Things, missing), { ...credential, ...sent })
          const errorOf = ({ body, status }: Answer) => [status, { ...body.error, request_id: "" }]
          assert.deepStrictEqual([foreign.status, none.status], [404, 404], endpoint.id)
          assert.deepStrictEqual(errorOf(foreign), errorOf(none), endpoint.id)
          assert.deepStrictEqual([foreign.status, foreign.body.error.code], [404, "not_found"], endpoint.id)
          assert.notInclude(none.text, missing, endpoint.id)
          const malformed = yield* call(pathOf(endpoint, {} as Things, "No-Such"), { ...credential, ...sent })
          assert.deepStrictEqual(errorOf(malformed), errorOf(none), endpoint.id)
        }
      })
  )

  walk(
    "refuses a body that is not strict JSON",
    ({ body }) => body !== undefined,
    (endpoint, { body, call, path, world: { owner } }) =>
      Effect.gen(function*() {
        const credential = validCredential(endpoint, owner)
        const fields = JSON.stringify(body).slice(1)
        const [field = ""] = endpoint.body?.fields ?? []
        const deep = `${"[".repeat(65)}${"]".repeat(65)}`
        const texts = [
          "{",
          "[",
          "nul",
          `{${fields}x`,
          `{"${field}":1,"${field}":1}`,
          `{"${field}":1,"\\u${field.charCodeAt(0).toString(16).padStart(4, "0")}${field.slice(1)}":1}`,
          `{"${field}":${deep}}`,
          `{"${field}":1e400}`,
          `{"${field}":9007199254740992}`,
          `{"${field}":"\\ud800"}`,
          `{"${field}":"a\\u0000"}`,
          `{"\\u0000":1}`,
          `\ufeff{${fields}`
        ]
        for (const text of texts) {
          const answer = yield* call(path, { ...credential, body: text })
          assert.deepStrictEqual(
            [answer.status, answer.body.error.code],
            [400, "invalid_request"],
            `${endpoint.id} ${text.slice(0, 60)} ${answer.text}`
          )
        }
        const otherForms: ReadonlyArray<Record<string, string>> = [{ "content-type": "text/plain" }, {
          "content-type": "application/x-www-form-urlencoded"
        }, { "content-encoding": "gzip" }]
        for (const headers of otherForms) {
          const answer = yield* call(path, { ...credential, body, headers })
          assert.deepStrictEqual([answer.status, answer.body.error.code], [415, "unsupported_media_type"], endpoint.id)
        }
        // An import accepts a document of 64 MiB: its bounds are tested in test/hub/catalog.
        if (endpoint.id.startsWith("services.") && /import/iu.test(endpoint.id)) return
        // A document has 10 MiB: test/hub/knowledge.
        if (endpoint.id === "knowledge.addDocument") return
        const large = yield* call(path, { ...credential, body: `{"${field}":"${"a".repeat(1 << 20)}"}` })
        assert.deepStrictEqual([large.status, large.body.error.code], [413, "payload_too_large"], endpoint.id)
      })
  )

  walk(
    "refuses an unknown field, and each field of a wrong type by its path",
    ({ body }) => body !== undefined,
    (endpoint, { body, call, path, world: { owner } }) =>
      Effect.gen(function*() {
        const credential = validCredential(endpoint, owner)
        const paths = (answer: Answer): ReadonlyArray<string> =>
          (answer.body.error.details ?? []).map((detail: { readonly path: string }) => detail.path)
        const surprised = yield* call(path, { ...credential, body: { ...body as object, surprise: 1 } })
        assert.deepStrictEqual([surprised.status, surprised.body.error.code], [400, "invalid_request"], endpoint.id)
        assert.include(paths(surprised), "surprise", endpoint.id)
        for (const whole of [[], 1, "x", [body]]) {
          assert.strictEqual(
            (yield* call(path, { ...credential, body: JSON.stringify(whole) })).status,
            400,
            endpoint.id
          )
        }
        for (const field of endpoint.body?.fields ?? []) {
          for (
            const value of [
              null,
              true,
              7,
              -1,
              1.5,
              "",
              "x",
              "x".repeat(40_000),
              [],
              [[]],
              [null],
              {},
              { a: { b: 1 } },
              9007199254740991
            ]
          ) {
            const wrong = { ...body as object, [field]: value }
            if (endpoint.body?.validator.validate(wrong).length === 0) continue
            const answer = yield* call(path, { ...credential, body: wrong })
            const context = `${endpoint.id} ${field} ${JSON.stringify(value).slice(0, 40)} ${answer.text}`
            assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "invalid_request"], context)
            assert.isTrue(paths(answer).some((path) => path === field || path.startsWith(`${field}.`)), context)
          }
        }
      })
  )

  walk(
    "refuses an unknown query parameter, and invalid values of known ones",
    ({ id }) => !isHook(id) && !isUnconfigured(id),
    (endpoint, { body, call, path, world: { owner } }) =>
      Effect.gen(function*() {
        const asked = { ...validCredential(endpoint, owner), ...body === undefined ? {} : { body } }
        const unknown = yield* call(`${path}?surprise=1`, asked)
        assert.deepStrictEqual([unknown.status, unknown.body.error.code, unknown.body.error.details[0].path], [
          400,
          "invalid_request",
          "surprise"
        ], endpoint.id)
        for (const name of Object.keys(endpoint.query ?? {})) {
          // A stream stays open when its query is valid: these values are invalid for each of its parameters.
          const values = endpoint.streams
            ? ["%00", "nothing"]
            : [
              "",
              "%00",
              "%ff",
              "-1",
              "0",
              "1e400",
              "1.5",
              "x".repeat(5_000),
              "[]",
              "%7B%7D",
              "2026-02-31",
              "%F0%9F%92%B8",
              "'"
            ]
          for (const value of values) yield* call(`${path}?${name}=${value}`, asked)
          if (name === "limit") {
            for (const value of ["0", "201", "abc", "1.5", "-1", "1e2x", ""]) {
              const answer = yield* call(`${path}?limit=${value}`, asked)
              assert.deepStrictEqual(
                [answer.status, answer.body.error?.details?.[0]?.path],
                [400, "limit"],
                `${endpoint.id} limit=${value}`
              )
            }
            const twice = yield* call(`${path}?limit=1&limit=2`, asked)
            assert.strictEqual(twice.status, 400, endpoint.id)
          }
          if (name === "cursor" && !endpoint.streams) {
            for (const value of ["x", "e30", "W10", "W251bGxd", "%00"]) {
              assert.strictEqual(
                (yield* call(`${path}?cursor=${value}`, asked)).status,
                400,
                `${endpoint.id} cursor=${value}`
              )
            }
          }
        }
      })
  )

  walk(
    "answers 404 for a malformed id in the address, 400 where the address names the object to create",
    (endpoint) => endpoint.params.length > 0 && !isPairing(endpoint),
    (endpoint, { body, call, world: { owner, things } }) =>
      Effect.gen(function*() {
        const asked = { ...validCredential(endpoint, owner), ...body === undefined ? {} : { body } }
        for (
          const id of [
            "%00",
            "x".repeat(3_000),
            "%ff",
            "..%2f..",
            "'%20or%201=1--",
            "%F0%9F%92%B8",
            "a%2fb",
            "%25",
            "__proto__",
            "AGT_0",
            "*"
          ]
        ) {
          const answer = yield* call(pathOf(endpoint, things, id), asked)
          // The page of a callback address is the same for every address, so it does not reveal which ones exist.
          const statuses = endpoint.id === "workflow_runs.callbackPage" ? [404, 400, 200] : [404, 400, 401]
          assert.include(statuses, answer.status, `${endpoint.id} ${id} ${answer.text}`)
          if (endpoint.method === "PUT") assert.deepInclude([404, 400], answer.status, endpoint.id)
          else if (endpoint.access !== "public") {
            assert.strictEqual(answer.status, 404, `${endpoint.id} ${id} ${answer.text}`)
          }
        }
      })
  )

  walk(
    "names exactly the methods of its address, and rejects every other with 405",
    () => true,
    (endpoint, { call, path, world: { owner } }) =>
      Effect.gen(function*() {
        const same = endpoints.filter((other) =>
          other.path.replace(/:\w+/g, ":") === endpoint.path.replace(/:\w+/g, ":")
        ).map((
          { method }
        ) => method)
        const expected = [...new Set([...same, "OPTIONS", ...same.includes("GET") ? ["HEAD"] : []])].sort()
        const allowed = (answer: Answer) => (answer.headers.get("allow") ?? "").split(", ")
        const options = yield* call(path, {}, "OPTIONS")
        assert.deepStrictEqual([options.status, options.text], [204, ""], endpoint.id)
        assert.deepStrictEqual(allowed(options), expected, endpoint.id)
        for (
          const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter((method) =>
            !allowed(options).includes(method)
          )
        ) {
          const answer = yield* call(path, validCredential(endpoint, owner), method)
          assert.deepStrictEqual([answer.status, allowed(answer)], [405, allowed(options)], `${method} ${endpoint.id}`)
        }
        // These require a pairing's secret or a sign-in's state, which no call here has.
        const isOpen = !["device_pairing.current", "app_callback.callback"].includes(endpoint.id)
        if (endpoint.method === "GET" && isOpen && !isUnconfigured(endpoint.id)) {
          const head = yield* call(path, validCredential(endpoint, owner), "HEAD")
          const status = endpoint.id === "storage.download" ? 302 : 200
          assert.deepStrictEqual([head.status, head.text], [status, ""], endpoint.id)
          assert.isString(head.headers.get("x-request-id"), endpoint.id)
        }
      })
  )

  it.effect("has a body here only for endpoints that exist", () =>
    Effect.sync(() => {
      const ids = endpoints.map(({ id }) => id)
      assert.deepStrictEqual([...Object.keys(bodies), ...unpermitted].filter((id) => !ids.includes(id)), [])
    }))

  it.effect("left the workspace unchanged", () =>
    Effect.gen(function*() {
      const { api, owner } = yield* TestHub
      const { things } = yield* World
      const { body: { error } } = yield* api("GET", "/secrets/weather_key", { cookie: owner.cookie })
      assert.strictEqual(error.code, "method_not_allowed")
      for (
        const path of [
          `/agents/${things.agent}`,
          `/approvals/${things.approval}`,
          `/agent-requests/${things.agentRequest}`,
          `/publish-requests/${things.publishRequest}`,
          `/policies/${things.policy}`,
          `/tokens/${things.token}`,
          `/standing-approvals/${things.standing}`,
          "/services/weather"
        ]
      ) {
        assert.strictEqual((yield* api("GET", path, { cookie: owner.cookie })).status, 200, path)
      }
      const approval = yield* api("GET", `/approvals/${things.approval}`, { cookie: owner.cookie })
      assert.strictEqual(approval.body.status, "pending")
      assert.deepStrictEqual((yield* api("GET", "/audit-logs/verify", { cookie: owner.cookie })).body.ok, true)
      assert.deepStrictEqual((yield* api("GET", "/balance", { cookie: owner.cookie })).body.balance_cents, 997)
    }))

  walk("documents every status of its answers above", () => true, (endpoint) =>
    Effect.sync(() => {
      const seen = answered(endpoint.id)
      assert.isTrue(seen.size > 0 || isUnconfigured(endpoint.id), endpoint.id)
      const undocumented = [...seen].filter((status) => !endpoint.statuses.includes(status))
      assert.deepStrictEqual(undocumented, [], `${endpoint.id} documents ${endpoint.statuses.join(", ")}`)
    }))
})
