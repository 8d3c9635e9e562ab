import type { OrgId } from "@countersign/domain/ids"
import { Page } from "@countersign/domain/pagination"
import { Secret } from "@countersign/domain/secrets"
import { parseConfig, Settings } from "@countersign/hub/config"
import { AuditLog } from "@countersign/hub/platform/audit-log"
import { encodeCursor } from "@countersign/hub/platform/cursor"
import { MasterKey } from "@countersign/hub/platform/master-key"
import { OrgHeads } from "@countersign/hub/platform/org-heads"
import { Signals } from "@countersign/hub/platform/signals"
import { SecretsRepository } from "@countersign/hub/secrets/repository"
import { Secrets } from "@countersign/hub/secrets/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { fitting } from "../../support/contract.ts"
import { PgTest } from "../../support/pg.ts"
import { makeUser } from "../../support/principals.ts"
import { makeWorkspace } from "../../support/tick.ts"

const key = randomBytes(32).toString("base64")
const SettingsTest = Settings.layerOf(
  parseConfig({ HUB_MASTER_KEY: key }, { projectDir: "/nonexistent", terminal: false })
)
const Live = Secrets.layer.pipe(
  Layer.provide(MasterKey.layer.pipe(Layer.provide(SettingsTest))),
  Layer.provideMerge(Layer.mergeAll(SecretsRepository.layer, AuditLog.layer, OrgHeads.layer)),
  Layer.provideMerge(Signals.layer),
  Layer.provideMerge(PgTest)
)

const valueOf = Effect.fnUntraced(function*(org: OrgId, name: string) {
  const secrets = yield* Secrets
  return Option.getOrUndefined(Option.map(yield* secrets.valueOf(org, name), Redacted.value))
})

layer(Live, { excludeTestServices: true })("secrets", (it) => {
  it.effect("are stored, replaced, listed by name alone, opened for adapters, and deleted", () =>
    Effect.gen(function*() {
      const secrets = yield* Secrets
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      assert.isTrue((yield* secrets.put(user, "stripe", "sk_live_1")).isNew)
      assert.strictEqual(yield* valueOf(org, "stripe"), "sk_live_1")
      const again = yield* secrets.put(user, "stripe", "sk_live_2 \u0000 ü")
      assert.isFalse(again.isNew)
      assert.strictEqual(yield* valueOf(org, "stripe"), "sk_live_2 \u0000 ü")
      yield* secrets.put(user, "another", "x")
      const listed = fitting(Page(Secret), yield* secrets.list(user, {}))
      assert.deepStrictEqual(listed.data.map((secret) => Object.keys(secret).sort().join()), [
        "created_at,name,updated_at",
        "created_at,name,updated_at"
      ])
      assert.deepStrictEqual(listed.data.map(({ name }) => name), ["another", "stripe"])
      const first = yield* secrets.list(user, { limit: 1 })
      assert.deepStrictEqual(
        (yield* secrets.list(user, { limit: 1, cursor: first.next_cursor! })).data.map(({ name }) => name),
        ["stripe"]
      )
      for (const foreign of [["service", "another"], ["another"]]) {
        assert.strictEqual(
          (yield* Effect.flip(secrets.list(user, { cursor: encodeCursor(foreign) })))._tag,
          "BadRequest",
          foreign.join()
        )
      }
      yield* secrets.remove(user, "stripe")
      assert.isUndefined(yield* valueOf(org, "stripe"))
      assert.strictEqual((yield* Effect.flip(secrets.remove(user, "stripe")))._tag, "NotFound")
      const audited = yield* sql<
        { row: string }
      >`select action || ' ' || subject_id as row from audit where org_id = ${org} order by seq`
      assert.deepStrictEqual(audited.map(({ row }) => row), [
        "secret.put stripe",
        "secret.put stripe",
        "secret.put another",
        "secret.deleted stripe"
      ])
      const [leak] = yield* sql<
        { found: boolean }
      >`select exists (select 1 from audit where org_id = ${org} and data like '%sk_live%') as found`
      assert.isFalse(leak!.found)
    }))

  it.effect("belong to one workspace, even if its sealed bytes are copied to another", () =>
    Effect.gen(function*() {
      const secrets = yield* Secrets
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      const other = yield* makeWorkspace()
      const stranger = yield* makeUser(other.org)
      yield* secrets.put(yield* makeUser(org), "token", "s3cret")
      assert.isUndefined(yield* valueOf(other.org, "token"))
      assert.deepStrictEqual((yield* secrets.list(stranger, {})).data, [])
      assert.strictEqual((yield* Effect.flip(secrets.remove(stranger, "token")))._tag, "NotFound")
      yield* sql`insert into secrets (org_id, name, sealed) select ${other.org}, 'copied', sealed from secrets where org_id = ${org}`
      const exit = yield* Effect.exit(secrets.valueOf(other.org, "copied"))
      assert.strictEqual(exit._tag, "Failure")
      assert.notInclude(JSON.stringify(exit), "s3cret")
    }))

  it.effect("a value read while it is replaced is not cached", () =>
    Effect.gen(function*() {
      const secrets = yield* Secrets
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      yield* secrets.put(user, "raced", "0")
      for (let round = 1; round <= 20; round++) {
        yield* Effect.all([
          secrets.put(user, "raced", String(round)),
          ...Array.from({ length: 5 }, () => secrets.valueOf(org, "raced"))
        ], { concurrency: "unbounded", discard: true })
        assert.strictEqual(yield* valueOf(org, "raced"), String(round))
      }
    }))
})
