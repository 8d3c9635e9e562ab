/** Secrets: sealed when they are stored, opened for adapters only. Spec: reference/services.md "Secrets". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, notFound } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { namePattern } from "@countersign/domain/pattern"
import { type Secret, secretsMax } from "@countersign/domain/secrets"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { LRUCache } from "lru-cache"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { onStale } from "../platform/cache.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { open, seal } from "../platform/sealed.ts"
import { Signals } from "../platform/signals.ts"
import { type SecretRow, SecretsRepository } from "./repository.ts"

/** Another hub's change is seen after this time even if its signal is lost. */
const keptMillis = 5_000
const keptMax = 1_000

export class Secrets extends Context.Service<Secrets, {
  readonly list: (user: UserPrincipal, query: PageQuery) => Effect.Effect<PageOf<Secret>, ApiError>
  readonly put: (
    user: UserPrincipal,
    name: string,
    value: string
  ) => Effect.Effect<{ readonly secret: Secret; readonly isNew: boolean }, ApiError>
  readonly remove: (user: UserPrincipal, name: string) => Effect.Effect<void, ApiError>
  /** For adapters. None when it does not exist; one that cannot be opened is a defect, reported without its value. */
  readonly valueOf: (org: OrgId, name: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
}>()("@countersign/hub/secrets/Secrets") {
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function*() {
      const secrets = yield* SecretsRepository
      const { key } = yield* MasterKey
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const changed = (org: OrgId) => db.afterCommit(Effect.sync(() => signals.config(org)))

      const kept = new LRUCache<string, Option.Option<Redacted.Redacted>>({ max: keptMax, ttl: keptMillis })
      /** Raised by every signal: a value read before a signal is not cached after it. */
      let generation = 0
      const stop = onStale(signals, (org) => {
        generation++
        if (org === undefined) return kept.clear()
        const places = [...kept.keys()]
        for (const place of places) if (place.startsWith(`${org} `)) kept.delete(place)
      })
      yield* Effect.addFinalizer(() => Effect.sync(stop))

      const read = Effect.fnUntraced(function*(org: OrgId, name: string, place: string) {
        const before = generation
        const sealed = yield* secrets.sealed(org, name)
        const value = Option.map(sealed, (bytes) => Redacted.make(open(Redacted.value(key), bytes, [org, name])))
        if (before === generation) kept.set(place, value)
        return value
      })

      const put = Effect.fn("Secrets.put")(function*(user: UserPrincipal, name: string, value: string) {
        const org = user.org_id
        yield* heads.lock(org)
        const row = yield* secrets.put(org, name, seal(Redacted.value(key), value, [org, name]))
        if (row.is_new && (yield* secrets.count(org)) > secretsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${secretsMax} secrets; delete one first.`)
          )
        }
        yield* audit.record(org, actorOf(user), {
          action: "secret.put",
          subject: { type: "secret", id: name },
          data: { new: row.is_new }
        })
        yield* changed(org)
        return { secret: toSecret(row), isNew: row.is_new }
      }, db.transaction)

      const remove = Effect.fn("Secrets.remove")(function*(user: UserPrincipal, name: string) {
        const org = user.org_id
        yield* heads.lock(org)
        if (!(yield* secrets.remove(org, name))) return yield* Effect.fail(notFound("secret"))
        yield* audit.record(org, actorOf(user), { action: "secret.deleted", subject: { type: "secret", id: name } })
        yield* changed(org)
      }, db.transaction)

      return Secrets.of({
        list: Effect.fn("Secrets.list")(function*(user, query) {
          const [, after] = (yield* decodeCursor(query.cursor, [/^secret$/, namePattern])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* secrets.list(user.org_id, after, query.limit ?? pageLimitDefault)
          const page = toPage(rows, query.limit, ({ name }) => ["secret", name])
          return { data: page.data.map(toSecret), next_cursor: page.next_cursor, as_of }
        }),
        put,
        remove,
        valueOf: (org, name) =>
          Effect.suspend(() => {
            const place = `${org} ${name}`
            const known = kept.get(place)
            return known === undefined ? read(org, name, place) : Effect.succeed(known)
          })
      })
    })
  )
}

const toSecret = ({ created_at, name, updated_at }: SecretRow): Secret => ({
  name: name as Secret["name"],
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString()
})
