/** Ends pending requests and publications of deleted agents and teams. Several hubs may run it at once. */
import { Context, Effect, Layer } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { PublishedWorkflows } from "./published-workflows.ts"
import { type PublishedOrphan, PublishingRepository } from "./repository.ts"

const roundMillis = 5_000
const batchMax = 100

export class PublishingSweeper extends Context.Service<PublishingSweeper, {
  /** Returns how many requests and publications were found. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/publishing/PublishingSweeper") {
  static readonly layer = Layer.effect(
    PublishingSweeper,
    Effect.gen(function*() {
      const repository = yield* PublishingRepository
      const readiness = yield* Readiness
      const audit = yield* AuditLog
      const workflows = yield* PublishedWorkflows
      const { eachLocked } = yield* backgroundTransactions

      const end = Effect.fnUntraced(function*(
        { agent_id, id, kind, org_id: org, reason, workflow_id }: PublishedOrphan,
        at: Date
      ) {
        const ended = kind === "publication"
          ? yield* repository.revoke(org, id, null, at)
          : yield* repository.decide(org, id, { status: "withdrawn", by: null, comment: null, at })
        if (!ended) return
        yield* audit.record(org, hubActor, {
          action: kind === "publication" ? "publication.revoked" : "publish_request.withdrawn",
          subject: { type: kind, id },
          ...(agent_id === null ? {} : { agent_id }),
          data: { reason }
        })
        if (workflow_id !== null) yield* workflows.endLive(org, hubActor, workflow_id, at)
      })

      const round = Effect.gen(function*() {
        const orphans = yield* repository.orphans(batchMax)
        yield* eachLocked("publications of deleted agents and teams", orphans, end)
        return orphans.length
      })
      yield* repeatRounds(readiness, "publications", roundMillis, round)
      return PublishingSweeper.of({ round })
    })
  )
}
