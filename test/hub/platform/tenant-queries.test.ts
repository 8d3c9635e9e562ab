import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import { type Statement, statementsOf } from "../../support/repository-queries.ts"

const root = new URL("../../../", import.meta.url).pathname

/**
 * The workspace restricts the rows, by a condition, a join, an inserted column, or a fragment that adds the condition.
 */
const namesWorkspace = ({ text }: Statement): boolean =>
  [
    /\borg_id\b\s*(?:=|in\b|>|,[^)]*\) in\b)/,
    /=\s*\w+\.org_id\b/,
    /sql\.in\("org_id"/,
    /insert into \w+ (?:as \w+ )?\([^)]*\borg_id\b/,
    /insert into \w+ \$\{\s*sql\.insert\(\{[^}]*\borg_id\b/,
    /(?:on conflict|where) \(org_id\b/,
    // Functions of the same repository whose result begins with `org_id = …`.
    /\$\{\s*(?:listConditions|sql\.and\(ownConditions|alike|whose|within|activity|owned|living|entries)\(/,
    /\.\.\.(?:whose|within)\(/
  ].some((pattern) => pattern.test(text))

/** Statements that need no workspace, by file and text, with the reason. */
const allowed: ReadonlyArray<{ readonly file: RegExp; readonly text: RegExp; readonly reason: string }> = [
  {
    file: /repository/,
    text: /^["`]select from |\$\{sql\.literal\(is[A-Z]\w+\)\}/,
    reason: "whether any workspace has due work, and the due work of all workspaces"
  },
  {
    file: /(?:oidc|auth\/sign-in|auth\/break-glass)\/?-?repository/,
    text: /from memberships/,
    reason: "a person's own memberships at a sign-in, and the owners of the hub's workspaces"
  },
  {
    file: /ledger\/doctor-repository/,
    text: /from oidc_flows/,
    reason: "sign-ins that were begun and never finished belong to no workspace"
  },
  {
    file: /device-sign-ins\/repository/,
    text: /device_sign_ins/,
    reason: "a pending sign-in belongs to no workspace before a person approves it; its code or secret names it"
  },
  {
    file: /notice-channels\/(?:messages-)?repository/,
    text: /c\.kind = \$\{kind\}|closed_at < hub_time|leased_until = hub_time/,
    reason: "a message that a messenger's signed call names leads to its workspace; due and old work of all workspaces"
  },
  {
    file: /chat\/turns-repository/,
    text:
      /\bowner = |\bread_at |local_until <= |'waiting_approval' and background|cancel_requested|change === undefined/,
    reason: "turns that this hub owns or that its readers have opened, and due work of all workspaces"
  },
  {
    file: /policies\/repository/,
    text: /^`select id, name, position[^$]*from policies`$/,
    reason: "a select list; each use adds the workspace"
  },
  {
    file: /standing-approvals\/repository/,
    text: /^`select s\.id, s\.agent_id[^$]*`$/,
    reason: "a select list; each use adds the workspace"
  },
  {
    file: /platform\/owner|recovery\/repository/,
    text: /\bowner = \$\{|o\.ended/,
    reason: "a hub's own holds, in all workspaces"
  },
  {
    file: /recovery\/repository|consents-repository|agent-requests\/repository/,
    text: /(?:due_at|expires_at|received_at) <=? /,
    reason: "due work of all workspaces"
  },
  { file: /pick-ups\/repository/, text: /created_at < clock_timestamp/, reason: "expired answers of all workspaces" },
  {
    file: /polls-repository|requests\/repository/,
    text: /where (?:h\.)?request_id = (?:any\()?\$\{(?:request|id|textArray)/,
    reason: "an open hold; the request's id is its primary key, and no caller's input"
  },
  {
    file: /ledger\/doctor-repository/,
    text: /from promo_codes c/,
    reason: "a promo code belongs to the hub: its redemptions are those of all workspaces"
  },
  {
    file: /billing\/repository/,
    text: /session_id = |intent_id = |poll_at <= /,
    reason: "a provider's signed report leads to its workspace, and due work of all workspaces"
  },
  {
    file: /budget-requests\/repository/,
    text: /^`select b\.id, b\.agent_id[^?]*on d\.id = b\.decided_by`$/,
    reason: "a select list; each use adds the workspace"
  },
  {
    file: /alerts-repository|budgets\/repository|retention\/repository|publishing\/repository/,
    text: /\blimit \$\{(?:limit|rows)\}/,
    reason: "a walk over all workspaces"
  },
  {
    file: /apps\/repository/,
    text: /refresh_at <= hub|from app_states where (?:hash|expires_at)/,
    reason: "due work of all workspaces; a sign-in's state and its person lead to the workspace"
  },
  { file: /credentials-repository/, text: /key_hash = \$\{hash\}/, reason: "a credential leads to its workspace" },
  {
    file: /mail\/repository|notices\/(?:push-)?repository/,
    text:
      /due_at <= hub_time|ended_at < hub_time|created_at < hub_time|_heads h left join|order by (?:created_at|n\.created_at)/,
    reason: "due and old work of all workspaces"
  },
  {
    file: /notices\/repository/,
    text: /where id = any\(\$\{textArray\(\[\.\.\.ids\]\)\}\)/,
    reason: "notices that the same transaction has locked; their ids are no caller's input"
  },
  {
    file: /notices\/push-repository/,
    text: /push_key|push_subscriptions|from pushes|update pushes/,
    reason: "the hub's key and a person's browsers belong to no workspace"
  },
  {
    file: /auth\/(?:rights-|liveness-)?repository|audit\/events-repository|tokens\/repository/,
    text: /from (?:sessions|memberships)|update sessions|from tokens where user_id/,
    reason: "sessions, memberships and the count of tokens belong to a person"
  },
  {
    file: /clock\/repository|ledger\/doctor-repository/,
    text: /from org_heads where last_at >/,
    reason: "workspaces ahead of the clock, all of them"
  },
  {
    file: /retention\/devices-repository/,
    text: /holds h where h\.request_id = c\.service_request_id/,
    reason: "the open hold of a command's own request"
  },
  {
    file: /approvals\/repository|audit\/events-repository/,
    text: /from memberships (?:m )?where (?:(?:m\.)?user_id = |\$\{sql\.in\("user_id")/,
    reason: "the workspaces that a person belongs to"
  },
  {
    file: /devices\/pairings-repository/,
    text: /device_pairings/,
    reason: "a pairing has no workspace until a person confirms it; its code or secret is the key"
  },
  {
    file: /devices\/(?:commands|consents|output)-repository/,
    text:
      /\b(?:command|service_request|session|device)(?:_id)? = \$\{|\bid = \$\{|^`c\.id, |c\.status in|c\.acked_at|h\.phase = 2/,
    reason: "rows of a device that its key, or workspace and id, led to, and due work of all workspaces"
  },
  {
    file: /storage\/sweep-repository/,
    text: /status = 'verifying'|status = 'purging'|confirmed_at <|missing_at|id = any\(\$\{textArray/,
    reason: "due work of all workspaces, and rows of blobs that the sweep found"
  },
  {
    file: /memories\/repository/,
    text: /expires_at <= hub_time|for update skip locked/,
    reason: "due work of all workspaces"
  },
  {
    file: /knowledge\/ingest-repository/,
    text:
      /^`d\.status in|from knowledge_turns t\b|^`\(x\.generation|c\.next_model = |c\.cleaning|deleted_at is not null|any\(\$\{ids\}\)|status = 'failed' and d\.updated_at|group by status/,
    reason: "due work of all workspaces, rows that were marked as deleted, and a metric"
  },
  {
    file: /firings\/repository/,
    text:
      /insert into firings|check_at <=|\bowner = \$\{me\}|o\.ended|where (?:f\.)?id = \$\{id\}|hub_time_or_null|^`f\.id, |cross join lateral|as trigger_id, greatest/,
    reason:
      "due work of all workspaces, and rows that it found; new firings with their workspace; the firings of a workspace's schedules"
  },
  {
    file: /schedules\/(?:claims-)?repository/,
    text:
      /for update skip locked|unnest\(|f\.status = 'queued'|^`cross join|failures >= |due_at > \$\{now\}|where id = \$\{(?:id|firing)\}|set status = 'skipped'/,
    reason: "due work of all workspaces, and rows that it found"
  },
  {
    file: /triggers\/repository/,
    text: /^`select t\.id, t\.org_id/,
    reason: "a select list; a delivery has only its trigger's id"
  },
  {
    file: /runs\/repository/,
    text: /\bowner = \$\{owner\}|where w\.waits && |count\(\*\)::int as n from run_work/,
    reason: "due work of all workspaces, the runs that a hub owns, and runs that wait for an effect by its id"
  },
  {
    file: /runs\/callbacks-repository/,
    text: /where step_id = \$\{step\}`$/,
    reason: "the address of a callback has only its step's id, which leads to the workspace"
  },
  {
    file: /webhook-endpoints\/(?:queue|fan-out|deliveries)-repository/,
    text:
      /\$\{now\}|hub_time_or_last\(\)|from ended a where|where \$\{enabled\}`|e\.id <> all|e\.deleted_at is not null|t\.delivered/,
    reason: "due work of all workspaces, and rows that it found"
  },
  {
    file: /oauth\/repository/,
    text: /from oauth_codes where hash = |expires_at < clock_timestamp\(\)|^`delete from oauth_clients/,
    reason: "a code's hash leads to its workspace; what expired in all workspaces, and clients, which belong to none"
  },
  { file: /families\/repository/, text: /\bis_over limit\b/, reason: "due work of all workspaces" },
  { file: /apps\/revocations-repository/, text: /due_at <=/, reason: "due work of all workspaces" },
  { file: /discovery\/repository/, text: /as delegated_tasks,/, reason: "the metrics count all workspaces" },
  { file: /demo\/repository/, text: /\bdemo\b/, reason: "the hub has one demo workspace" },
  {
    file: /devices\/repository/,
    text:
      /\bid = \$\{id\}|key_hash = |^`d\.id, |^`(?:devices d|device_sessions s) |presence_told in|heard_at <|unnest\(/,
    reason: "rows of a device that its key, or workspace and id, led to, and due work of all workspaces"
  }
]

layer(PgTest, { excludeTestServices: true })("queries", (it) => {
  it.effect("of tables that belong to workspaces name the workspace", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ name: string }>`select distinct table_name::text as name from information_schema.columns
      where table_schema = current_schema() and column_name = 'org_id'`
      const tables = new Set(rows.map(({ name }) => name))
      assert.isTrue(["requests", "limits", "audit", "settlements"].every((name) => tables.has(name)))
      const statements = statementsOf(root).filter((statement) => statement.tables.some((name) => tables.has(name)))
      assert.isAbove(statements.length, 200)
      const excused = (statement: Statement) =>
        allowed.filter(({ file, text }) => file.test(statement.place) && text.test(statement.text))
      const open = statements.filter((statement) => !namesWorkspace(statement))
      assert.deepStrictEqual(
        open.filter((statement) => excused(statement).length === 0).map(({ place, text }) =>
          `${place} ${text.slice(0, 160)}`
        ),
        [],
        "add the workspace to these statements"
      )
      const used = new Set(open.flatMap(excused))
      assert.deepStrictEqual(
        allowed.filter((each) => !used.has(each)).map(({ file, text }) => `${file} ${text}`),
        [],
        "exceptions that no statement needs"
      )
    }))
})
