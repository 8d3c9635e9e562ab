import { RequestsRepository } from "@countersign/hub/dispatch/requests/repository"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../../support/pg.ts"
import { makeWorkspace, tick } from "../../../support/tick.ts"

/** A workspace with one settled request and one that runs at the provider, both with a reference. */
const worked = Effect.fnUntraced(function*(refs: { readonly settled: string; readonly running: string }) {
  const workspace = yield* makeWorkspace({ funds: 100 })
  const { begins: [settled, running] } = yield* tick(workspace, [{ ceiling: 1 }, { ceiling: 1 }])
  yield* tick(workspace, [], [{ id: settled!.id, status: "executed", cents: 1 }, {
    id: running!.id,
    status: "running",
    reason: "async"
  }])
  const sql = yield* SqlClient.SqlClient
  yield* sql`update settlements set provider_ref = ${refs.settled} where org_id = ${workspace.org} and request_id = ${
    settled!.id
  }`
  yield* sql`update holds set provider_ref = ${refs.running} where org_id = ${workspace.org} and request_id = ${
    running!.id
  }`
  return { ...workspace, settled: settled!.id }
})

layer(RequestsRepository.layer.pipe(Layer.provideMerge(PgTest)), { excludeTestServices: true })(
  "a provider's reference",
  (it) => {
    it.effect("leads to its workspace, settled or running, and to every workspace with the reference", () =>
      Effect.gen(function*() {
        const repository = yield* RequestsRepository
        const one = yield* worked({ settled: "job-1", running: "job-2" })
        const two = yield* worked({ settled: "job-2", running: "job-3" })
        assert.deepStrictEqual(yield* repository.orgsOfRef("echo", "job-1"), [one.org])
        assert.deepStrictEqual(yield* repository.orgsOfRef("echo", "job-3"), [two.org])
        assert.sameMembers([...yield* repository.orgsOfRef("echo", "job-2")], [one.org, two.org])
        assert.deepStrictEqual(yield* repository.orgsOfRef("other", "job-1"), [])
        assert.strictEqual(yield* repository.orgOfSettled("echo", two.settled), two.org)
        assert.isUndefined(yield* repository.orgOfSettled("other", two.settled))
      }))
  }
)
