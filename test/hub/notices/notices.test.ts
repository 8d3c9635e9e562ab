/** Notices by e-mail. Spec: reference/notices.md "Delivery", "Recipients", "Links". */
import { attemptsMax } from "@countersign/hub/mail/repository"
import { MailSender } from "@countersign/hub/mail/sender"
import { NoticeGatherer } from "@countersign/hub/notices/gatherer"
import { linkKey, signLink } from "@countersign/hub/notices/links"
import { NoticeReader } from "@countersign/hub/notices/reader"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { request } from "undici"
import { until } from "../../support/health.ts"
import { quickRecovery, spawnHub } from "../../support/hub-program.ts"
import {
  apiOf,
  type Call,
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  masterKey,
  startHub,
  topUp
} from "../../support/hub.ts"
import { type MailServer, mailServer, type ReceivedMail } from "../../support/mail-server.ts"
import { slackHeaders, slackSecret } from "../../support/messengers.ts"
import { makePerson, makeSignedIn, makeWorkspace, stepUp } from "../../support/people.ts"
import { freshDatabase } from "../../support/pg.ts"

const mailEnv = (server: Pick<MailServer, "port">) => ({
  HUB_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  HUB_MAIL_FROM: "Hub <hub@countersign.test>"
})

/** The text of a mail without the line breaks of quoted-printable. */
const textOf = ({ raw }: ReceivedMail): string =>
  Buffer.from(
    raw.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  ).toString("utf8")
const headerOf = (name: string, { raw }: ReceivedMail): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "mi").exec(raw)?.[1]?.trim()

class Noticing extends Context.Service<Noticing, { readonly hub: HubInTest; readonly mail: MailServer }>()(
  "test/Noticing"
) {
  static readonly layer = Layer.effect(
    Noticing,
    Effect.gen(function*() {
      const mail = yield* mailServer()
      const hub = yield* startHub({ env: { ...mailEnv(mail), HUB_SLACK_SIGNING_SECRET: slackSecret } })
      yield* firstOwner(hub)
      return { hub, mail }
    })
  )
}

const sql = <A>(hub: HubInTest, run: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
  Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, run)))

/** A link at the hub's own address: its public address in tests has no port. */
const here = (hub: HubInTest, url: string): string => hub.url + new URL(url).pathname

/** Makes all notices due, so that no test waits for its time. */
const hasten = (hub: HubInTest, org: string) =>
  sql(hub, (sql) => sql`update notices set due_at = hub_time_or_last() where org_id = ${org} and state = 'pending'`)

const openMails = (hub: HubInTest, org: string) =>
  sql(hub, (sql) =>
    Effect.map(
      sql<{ n: number }>`select (select count(*) from mails where org_id = ${org} and status = 'pending')
        + (select count(*) from notices where org_id = ${org} and state = 'pending'
          and due_at <= hub_time_or_last()) as n`,
      ([row]) => row!.n
    ))

/** Writes the notices of the log; the hub's own round may be at it. */
const written = (hub: HubInTest, org: string) =>
  Effect.andThen(
    hub.run(Effect.flatMap(NoticeReader, ({ round }) => round)),
    until(
      "the notices are written",
      Effect.map(
        sql(hub, (sql) =>
          sql`select 1 from org_heads h join notice_cursors c using (org_id) where h.org_id = ${org} and c.seq = h.seq`),
        (rows) =>
          rows.length === 1
      )
    )
  )

/** Sends everything that is due, and returns once nothing is. */
const settle = (hub: HubInTest, org: string) =>
  Effect.gen(function*() {
    yield* written(hub, org)
    yield* hasten(hub, org)
    yield* hub.run(Effect.flatMap(NoticeGatherer, ({ round }) => round))
    yield* hub.run(Effect.flatMap(MailSender, ({ round }) => round))
    yield* until("all due mails are sent", Effect.map(openMails(hub, org), (open) => open === 0))
  })

const makeOrg = Effect.fnUntraced(function*(hub: HubInTest, name: string) {
  const org = yield* makeWorkspace(hub, name)
  const owner = yield* makeSignedIn(hub, org, "owner", "Ada")
  const operator = yield* makeSignedIn(hub, org, "operator", "Otto")
  const member = yield* makeSignedIn(hub, org, "member", "Mara")
  yield* topUp(hub, owner, 1_000)
  const agent = yield* makeAgent(hub, owner, {
    name: "Scout",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  /** A pending approval; its id. */
  const ask = Effect.map(
    hub.api("POST", "/service-requests", {
      key: agent.key,
      body: { service: "echo", operation: "say", payload: { text: "the secret of the payload" } }
    }),
    (answer) => {
      assert.strictEqual(expectStatus(answer, 200).body.status, "approval_required", answer.text)
      return answer.body.approval_id as string
    }
  )
  const configure = (who: Call, body: object) =>
    Effect.map(hub.api("PATCH", "/notification-settings", { ...who, body }), (answer) => expectStatus(answer, 200).body)
  return { hub, api: hub.api, org, owner, operator, member, agent, ask, configure }
})

const world = Effect.gen(function*() {
  const { hub, mail } = yield* Noticing
  const made = yield* makeOrg(hub, "Acme")
  const to = ({ email }: { readonly email: string }) => mail.received.filter((one) => one.to.includes(email))
  return { ...made, mail, to, settled: settle(hub, made.org) }
})

layer(Noticing.layer, { excludeTestServices: true })("notices by e-mail", (it) => {
  it.effect("mail pending approvals to their approvers 60 s after they are made, without the payload", () =>
    Effect.gen(function*() {
      const { ask, hub, member, operator, org, owner, settled, to } = yield* world
      const first = yield* ask
      yield* written(hub, org)
      const [delays] = yield* sql(
        hub,
        (sql) =>
          sql<{ delay: number; n: number }>`select round(extract(epoch from min(due_at - created_at)))::int as delay,
          count(*)::int as n from notices where org_id = ${org}`
      )
      assert.deepStrictEqual(delays, { delay: 60, n: 2 })
      assert.deepStrictEqual(to(operator), [])
      const second = yield* ask
      yield* settled
      assert.deepStrictEqual([to(owner).length, to(operator).length, to(member).length], [1, 1, 0])
      const [message] = to(operator)
      const text = textOf(message!)
      assert.strictEqual(headerOf("Subject", message!), "2 approvals and requests are pending in Acme")
      assert.strictEqual(headerOf("Auto-Submitted", message!), "auto-generated")
      for (const part of ["Scout → echo.say", "$0.01", "color-scheme", "Notification settings"]) {
        assert.include(text, part)
      }
      assert.notInclude(message!.raw + text, "secret of the payload")
      const links = [...text.matchAll(/Review: (http\S+)/g)].map(([, url]) => url!)
      assert.lengthOf(links, 2)
      const opened = yield* Effect.forEach(links, (url) => Effect.promise(() => request(here(hub, url))))
      assert.deepStrictEqual(opened.map(({ headers, statusCode }) => [statusCode, headers["location"]]), [
        [303, `/w/${org}/approvals/${first}`],
        [303, `/w/${org}/approvals/${second}`]
      ])
      assert.isTrue(opened.every(({ headers }) => headers["set-cookie"] === undefined))
    }))

  it.effect("mail one digest in the minutes that the person set, and nothing that was mailed before", () =>
    Effect.gen(function*() {
      const { ask, configure, hub, operator, org, settled, to } = yield* world
      yield* configure(operator, { email_digest_minutes: 45 })
      yield* ask
      yield* settled
      assert.lengthOf(to(operator), 1)
      yield* ask
      yield* ask
      yield* settled
      assert.lengthOf(to(operator), 1)
      const [wait] = yield* sql(
        hub,
        (sql) =>
          sql<{ minutes: number }>`select round(extract(epoch from n.due_at - d.mailed_at) / 60)::int as minutes
        from notices n join notice_digests d using (org_id, user_id) where d.digest = 'inbox' and n.org_id = ${org}
          and n.user_id = ${operator.id} and n.state = 'pending'`
      )
      assert.strictEqual(wait!.minutes, 45)
      yield* sql(
        hub,
        (sql) => sql`update notice_digests set mailed_at = mailed_at - interval '45 minutes' where org_id = ${org}`
      )
      yield* settled
      assert.lengthOf(to(operator), 2)
      assert.lengthOf([...textOf(to(operator)[1]!).matchAll(/^Review: /gm)], 2)
    }))

  it.effect("mail nothing about decided approvals, and nothing to who unsubscribed, lost the right, left, or is of another workspace", () =>
    Effect.gen(function*() {
      const { api, ask, configure, hub, operator, org, owner, settled, to } = yield* world
      const demoted = yield* makeSignedIn(hub, org, "operator", "Dora")
      const leaving = yield* makeSignedIn(hub, org, "admin", "Lea")
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner", "Stan")
      const decided = yield* ask
      yield* ask
      yield* written(hub, org)
      expectStatus(yield* api("POST", `/approvals/${decided}/reject`, { ...owner, body: {} }), 200)
      yield* configure(operator, { "approval.created": { email: false } })
      expectStatus(yield* api("PATCH", `/members/${demoted.id}`, { ...owner, body: { role: "viewer" } }), 200)
      expectStatus(yield* api("DELETE", `/members/${leaving.id}`, { ...owner, body: {} }), 204)
      yield* settled
      assert.deepStrictEqual([operator, demoted, leaving, stranger].map((one) => to(one).length), [0, 0, 0, 0])
      assert.lengthOf([...textOf(to(owner)[0]!).matchAll(/^Review: /gm)], 1)
    }))

  it.effect("wait for the end of the person's quiet hours in their time zone", () =>
    Effect.gen(function*() {
      const { api, ask, configure, hub, operator, org, owner, settled, to } = yield* world
      const zone = "Pacific/Kiritimati"
      expectStatus(yield* api("PATCH", "/auth/me", { ...operator, body: { time_zone: zone } }), 200)
      const wall = (minutes: number) => new Date(Date.now() + (14 * 60 + minutes) * 60_000).toISOString().slice(11, 16)
      const to_ = wall(180)
      yield* configure(operator, { quiet_hours: { from: wall(-120), to: to_ } })
      yield* ask
      yield* settled
      assert.deepStrictEqual([to(owner).length, to(operator).length], [1, 0])
      const [row] = yield* sql(hub, (sql) =>
        sql<{ due: string }>`select to_char(due_at at time zone ${zone}, 'HH24:MI') as due from notices
        where org_id = ${org} and user_id = ${operator.id} and state = 'pending'`)
      assert.strictEqual(row!.due, to_)
      yield* configure(operator, { quiet_hours: null })
      yield* settled
      assert.lengthOf(to(operator), 1)
    }))

  it.effect("retry a failed mail four times, with the same Message-ID, and then give up", () =>
    Effect.gen(function*() {
      const ids: Array<string> = []
      const refusing = yield* mailServer({
        onData(stream, _session, callback) {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => {
            ids.push(/^Message-ID: (.*)$/mi.exec(Buffer.concat(chunks).toString())?.[1] ?? "")
            callback(Object.assign(new Error("try later"), { responseCode: 451 }))
          })
        }
      })
      const hub = yield* startHub({ env: mailEnv(refusing) })
      const owner = yield* firstOwner(hub)
      expectStatus(
        yield* hub.api("POST", `/orgs/${owner.org}/invites`, {
          cookie: owner.cookie,
          body: { email: "bea@countersign.test", role: "viewer" }
        }),
        201
      )
      const mailRow = sql(hub, (sql) =>
        Effect.map(
          sql<{ attempt: number; status: string; wait: number; problem: string | null; has_body: boolean }>`
          select attempt, status, round(extract(epoch from due_at - hub_time_or_last()) / 60)::int as wait, problem,
            sealed is not null as has_body from mails`,
          ([row]) => row!
        ))
      const waits: Array<number> = []
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        yield* until(
          `attempt ${attempt} is over`,
          Effect.map(mailRow, (row) => row.problem !== null && ids.length === attempt)
        )
        waits.push((yield* mailRow).wait)
        yield* sql(hub, (sql) =>
          sql`update mails set due_at = hub_time_or_last(), problem = null where status = 'pending'`)
      }
      assert.deepStrictEqual(waits.slice(0, 4), [1, 5, 30, 120])
      const last = yield* mailRow
      assert.deepInclude(last, { status: "failed", attempt: attemptsMax, has_body: false })
      assert.deepStrictEqual([ids.length, new Set(ids).size], [attemptsMax, 1])
    }))

  it.effect("mail the other events to the people whom they concern", () =>
    Effect.gen(function*() {
      const { api, configure, hub, member, operator, org, owner, settled, to } = yield* world
      const spender = yield* makeAgent(hub, owner, { name: "Spender", monthly_budget_cents: 2 })
      const say = { service: "echo", operation: "say", payload: {} }
      expectStatus(yield* api("POST", "/service-requests", { key: spender.key, body: say }), 200)
      yield* until(
        "the alert is raised",
        Effect.map(api("GET", "/budget-alerts", owner), ({ body }) => body.data.length > 0)
      )
      yield* configure(member, { "run.failed": { email: true } })
      // Written as their features write them: an entry of the log is all that notices read.
      const entry = (action: string, actor: string, type: string, subject: string, data: object, id: string) =>
        sql(hub, (sql) =>
          Effect.andThen(
            sql`select seq from org_heads where org_id = ${org} for update`,
            sql`select append_audit(${org}, ${id}, ${action}, ${actor}, ${actor === "hub" ? "hub" : operator.id}, 'x',
              ${type}, ${subject}, null, null, null, null, null, ${JSON.stringify(data)})`
          ).pipe(sql.withTransaction))
      const id = (n: number) => `aud_0${String(n).padStart(25, "0")}`
      const endpoint = ["webhook_endpoint", "whk_00000000000000000000000001"] as const
      const facts = { url: "https://hooks.example/t0ken" }
      yield* entry("webhook_endpoint.disable", "hub", ...endpoint, facts, id(1))
      yield* entry("webhook_endpoint.disable", "user", ...endpoint, facts, id(2))
      const app = `app_0${org.slice(5)}`
      yield* sql(hub, (sql) =>
        sql`insert into apps (id, org_id, user_id, provider, name, status, visibility, scopes, params, created_at,
          updated_at)
        values (${app}, ${org}, ${member.id}, 'github', '<b>Code</b>', 'needs_reauth', 'private', '{}', '{}', now(), now())`)
      yield* entry("app.needs_reauth", "hub", "app", app, { provider: "github" }, id(3))
      yield* written(hub, org)
      // The alert may have been mailed by itself, and the next digest is later.
      yield* sql(hub, (sql) =>
        sql`update notice_digests set mailed_at = mailed_at - interval '1 day' where org_id = ${org}`)
      yield* settled
      const about = (person: { readonly email: string }) =>
        to(person).map(textOf).join("\n")
      assert.match(about(owner), /Spender has used 50 % of its monthly budget/)
      assert.match(about(owner), /A webhook endpoint was disabled\s+hooks\.example · its deliveries failed/)
      assert.notInclude(about(owner), "t0ken")
      assert.strictEqual(
        about(owner).match(/A webhook endpoint was disabled/g)!.length,
        2,
        "once as text, once as HTML"
      )
      assert.match(about(member), /<b>Code<\/b> needs to be reconnected[^]*&lt;b&gt;Code&lt;\/b&gt; needs/)
      assert.deepStrictEqual([to(operator).length, to(member).length], [0, 1])
    }))

  it.effect("mail a person about a messenger's account that was linked to theirs, with its name as text", () =>
    Effect.gen(function*() {
      const { hub, org, to } = yield* world
      const ada = yield* makePerson(hub, org, "operator", "Ada")
      const { code, id } = expectStatus(yield* hub.api("POST", "/auth/messenger-links", ada), 201).body
      const body = new URLSearchParams({
        command: "/countersign",
        text: `link ${code}`,
        team_id: "T1",
        team_domain: "acme",
        user_id: "U1",
        user_name: "<b>ada</b>\r\nBcc: eve@example.test\u202e"
      }).toString()
      expectStatus(yield* hub.api("POST", "/webhooks/slack", { body, headers: slackHeaders(body) }), 200)
      yield* stepUp(hub, ada)
      expectStatus(yield* hub.api("POST", `/auth/messenger-links/${id}/confirm`, ada), 200)
      yield* until("the mail arrives", Effect.sync(() => to(ada).length > 0))
      const [message] = to(ada)
      assert.deepStrictEqual(message!.to, [ada.email])
      assert.strictEqual(headerOf("Subject", message!), "A Slack account was linked to your Countersign account")
      assert.include(textOf(message!), "Slack account <b>ada</b> Bcc: eve@example.test\r\n")
      assert.include(textOf(message!), "Slack account &lt;b&gt;ada&lt;/b&gt; Bcc")
    }))

  it.effect("open a screen by a signed link: an altered one is 404, an expired one 410, and HEAD has no effect", () =>
    Effect.gen(function*() {
      const { ask, hub, operator, org, settled, to } = yield* world
      const approval = yield* ask
      yield* settled
      const link = here(hub, /Review: (http\S+)/.exec(textOf(to(operator)[0]!))![1]!)
      const open = (url: string, method: "GET" | "HEAD" | "POST" = "GET") =>
        Effect.promise(() => request(url, { method, headers: { accept: "text/html" } }))
      assert.strictEqual((yield* open(link)).headers["location"], `/w/${org}/approvals/${approval}`)
      assert.strictEqual((yield* open(link, "HEAD")).statusCode, 303)
      assert.strictEqual((yield* open(link, "POST")).statusCode, 404)
      const token = link.slice(link.lastIndexOf("/") + 1)
      for (const at of [0, 1, 27, 53, 60, token.length - 1]) {
        const other = token[at] === "a" ? "q" : "a"
        const altered = link.replace(token, token.slice(0, at) + other + token.slice(at + 1))
        assert.strictEqual((yield* open(altered)).statusCode, 404, `character ${at}`)
      }
      assert.strictEqual((yield* open(link.slice(0, -1))).statusCode, 404)
      const key = linkKey(Buffer.from(masterKey, "base64"))
      const expires = Math.floor(Date.now() / 1_000)
      const expired = signLink(key, { kind: "approval", org, id: approval, expires: expires - 60 })
      assert.strictEqual((yield* open(`${hub.url}/go/${expired}`)).statusCode, 410)
      const fresh = signLink(key, { kind: "approval", org, id: approval, expires: expires + 60 })
      assert.strictEqual((yield* open(`${hub.url}/go/${fresh}`)).statusCode, 303)
      const foreign = signLink(linkKey(Buffer.alloc(32)), {
        kind: "approval",
        org,
        id: approval,
        expires: expires + 60
      })
      assert.strictEqual((yield* open(`${hub.url}/go/${foreign}`)).statusCode, 404)
      const [pending] = yield* sql(
        hub,
        (sql) => sql<{ status: string }>`select status from approvals where id = ${approval}`
      )
      assert.strictEqual(pending!.status, "pending")
    }))

  it.effect("keep the settings of a person by workspace, change only what the body names, and refuse the rest", () =>
    Effect.gen(function*() {
      const { api, configure, hub, member, operator, org } = yield* world
      const { body } = expectStatus(yield* api("GET", "/notification-settings", operator), 200)
      assert.deepStrictEqual(body["approval.created"], { desktop: true, browser: true, email: true, channel: false })
      assert.deepStrictEqual(body["run.failed"], { desktop: false, browser: false, email: false, channel: false })
      assert.deepStrictEqual([body.email_digest_minutes, body.quiet_hours], [5, undefined])
      const changed = yield* configure(operator, {
        "run.failed": { desktop: true },
        email_digest_minutes: 10,
        quiet_hours: { from: "22:00", to: "07:00" }
      })
      assert.deepInclude(changed, { email_digest_minutes: 10, quiet_hours: { from: "22:00", to: "07:00" } })
      assert.deepStrictEqual(changed["run.failed"], { desktop: true, browser: false, email: false, channel: false })
      assert.deepStrictEqual(changed, expectStatus(yield* api("GET", "/notification-settings", operator), 200).body)
      assert.strictEqual((yield* api("GET", "/notification-settings", member)).body.email_digest_minutes, 5)
      const elsewhere = yield* makeWorkspace(hub)
      yield* sql(
        hub,
        (sql) => sql`insert into memberships (org_id, user_id, role) values (${elsewhere}, ${operator.id}, 'viewer')`
      )
      const there = { ...operator, headers: { "svc-workspace": elsewhere } }
      assert.strictEqual((yield* api("GET", "/notification-settings", there)).body.email_digest_minutes, 5)
      for (
        const wrong of [
          { "approval.deleted": { email: true } },
          { "approval.created": { fax: true } },
          { "approval.created": { email: "yes" } },
          { email_digest_minutes: 0 },
          { email_digest_minutes: 1_441 },
          { quiet_hours: { from: "22:00", to: "22:00" } },
          { quiet_hours: { from: "24:00", to: "07:00" } },
          { quiet_hours: { from: "22:00" } }
        ]
      ) {
        const refused = yield* api("PATCH", "/notification-settings", { ...operator, body: wrong })
        assert.strictEqual(refused.status, 400, JSON.stringify(wrong))
      }
      const entries = yield* sql(
        hub,
        (sql) =>
          sql<{ n: number }>`select count(*)::int as n from audit where org_id = ${org}
          and action = 'notification_settings.updated'`
      )
      assert.strictEqual(entries[0]!.n, 1)
      const preview = expectStatus(yield* api("GET", "/notification-settings/preview", operator), 200).body
      assert.include(preview.html, "prefers-color-scheme:dark")
      const page = expectStatus(
        yield* api("GET", "/notification-settings/preview.html?event=budget.alert", operator),
        200
      )
      assert.include(page.text, "Scout has used 80 % of its monthly budget")
      assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'.*sandbox/)
    }))
})

layer(Layer.empty, { excludeTestServices: true })("notices of several hubs", (it) => {
  it.effect("are mailed once each by two hubs that share a database", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const mail = yield* mailServer()
      const first = yield* startHub({ database, env: mailEnv(mail) })
      yield* firstOwner(first)
      const second = yield* startHub({ database, env: mailEnv(mail) })
      const orgs = yield* Effect.forEach(Array.from({ length: 4 }), (_, at) => makeOrg(first, `Acme ${at}`))
      for (const { ask } of orgs) yield* Effect.all(Array.from({ length: 5 }, () => ask), { concurrency: 5 })
      const rounds = (hub: HubInTest) =>
        Effect.gen(function*() {
          yield* hub.run(Effect.flatMap(NoticeReader, ({ round }) => round))
          for (const { org } of orgs) yield* hasten(hub, org)
          yield* hub.run(Effect.flatMap(NoticeGatherer, ({ round }) => round))
          yield* hub.run(Effect.flatMap(MailSender, ({ round }) => round))
        })
      for (let round = 0; round < 3; round++) yield* Effect.all([rounds(first), rounds(second)], { concurrency: 2 })
      for (const { org } of orgs) yield* settle(first, org)
      const links = mail.received.map((one) => [one.to[0]!, [...textOf(one).matchAll(/^Review: /gm)].length] as const)
      const people = orgs.flatMap(({ operator, owner }) => [operator.email, owner.email])
      for (const email of people) {
        const lines = links.filter(([to]) => to === email).reduce((sum, [, count]) => sum + count, 0)
        const [counted] = yield* sql(first, (sql) =>
          sql<{ n: number; mails: number }>`select count(*)::int as n, count(distinct mail_id)::int as mails
          from notices n join users u on u.id = n.user_id where u.email = ${email} and n.state = 'sent'`)
        // The rest of the five waits for the next digest.
        assert.strictEqual(lines, counted!.n, email)
        assert.strictEqual(
          links.filter(([to]) =>
            to === email
          ).length,
          counted!.mails,
          email
        )
      }
      const [all] = yield* sql(first, (sql) => sql<{ n: number }>`select count(*)::int as n from notices`)
      assert.strictEqual(all!.n, people.length * 5)
    }))

  it.effect("are mailed again with the same Message-ID after a hub is killed between sending and recording", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      let kill: Effect.Effect<void> = Effect.void
      const ids: Array<string> = []
      const mail = yield* mailServer({
        onData(stream, _session, callback) {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => {
            ids.push(/^Message-ID: (.*)$/mi.exec(Buffer.concat(chunks).toString())?.[1] ?? "")
            Effect.runFork(Effect.andThen(kill, Effect.sync(() => callback())))
          })
        }
      })
      const program = yield* spawnHub({ database, env: { ...mailEnv(mail), ...quickRecovery } })
      kill = program.kill("SIGKILL")
      const hub = yield* startHub({ database })
      const owner = yield* firstOwner(hub)
      const api = apiOf(program.url)
      // The invite's mail is sent by the program: the other hub has no mail server.
      yield* Effect.exit(api("POST", `/orgs/${owner.org}/invites`, {
        cookie: owner.cookie,
        body: { email: "bea@countersign.test", role: "viewer" }
      }))
      yield* program.ended
      assert.lengthOf(ids, 1)
      kill = Effect.void
      const state = sql(hub, (sql) => sql<{ status: string; attempt: number }>`select status, attempt from mails`)
      assert.deepStrictEqual(yield* state, [{ status: "pending", attempt: 1 }])
      yield* sql(hub, (sql) => sql`update mails set due_at = hub_time_or_last()`)
      yield* startHub({ database, env: mailEnv(mail) })
      yield* until("the mail is sent again", Effect.map(state, ([row]) => row!.status === "sent"))
      assert.deepStrictEqual([ids.length, new Set(ids).size], [2, 1])
    }))
})
