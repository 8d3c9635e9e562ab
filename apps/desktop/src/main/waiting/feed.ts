/**
 * Reads the pending approvals and requests of one hub through `Connections`; the model uses the hub only through this
 * interface.
 */
import type { Approval } from "@countersign/domain/approvals"
import { HubError } from "@countersign/hub-client/error"
import { Effect, type Stream } from "effect"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { ConnectionsShape, HubNews } from "../hub/port.ts"
import { rowsMax } from "./hub-waiting.ts"
import { ifVisible, requestFeedOf } from "./request-feed.ts"
import { requestKindOf } from "./request-row.ts"
import { rowOf, type WaitingRow } from "./row.ts"

const pageRows = 200

export interface HubFeed {
  readonly news: Stream.Stream<HubNews>
  /** All pending approvals and requests, as of a moment after the call. */
  readonly list: Effect.Effect<{ readonly rows: ReadonlyArray<WaitingRow>; readonly more: boolean }, HubError>
  /** Undefined: it is no longer pending, or not visible to this person. */
  readonly read: (id: string, workspace: string | undefined) => Effect.Effect<WaitingRow | undefined, HubError>
}

/** A newer hub may send an answer that this app cannot decode. */
const readable = <A>(effect: Effect.Effect<A, HubError>): Effect.Effect<A, HubError> =>
  Effect.catchDefect(
    effect,
    () => Effect.fail(new HubError({ status: 0, code: "unreadable_answer", message: "The answer was not understood." }))
  )

export const feedOf = (
  connections: Pick<ConnectionsShape, "aheadMillis" | "call" | "events">,
  profile: ProfileId,
  options: { readonly withPayload: boolean }
): HubFeed => {
  const { aheadMillis, call, events } = connections
  const requests = requestFeedOf(connections, profile, options)
  const row = (approval: Approval): WaitingRow => rowOf(approval, { ...options, aheadMillis: aheadMillis(profile) })
  return {
    news: events(profile),
    list: readable(Effect.gen(function*() {
      const rows: Array<WaitingRow> = []
      let cursor: string | undefined
      do {
        const page = yield* call(profile, "approvals.list", {
          query: { workspace: "all", status: ["pending"], limit: pageRows, ...(cursor === undefined ? {} : { cursor }) }
        })
        rows.push(...page.data.map(row))
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined && rows.length < rowsMax)
      const others = yield* requests.list
      return { rows: [...rows, ...others.rows], more: cursor !== undefined || others.more }
    })),
    read: (id, workspace) => {
      const kind = requestKindOf(id)
      if (kind !== undefined && workspace !== undefined) return readable(requests.read(kind, id, workspace))
      return call(profile, "approvals.get", { params: { id } }, workspace === undefined ? {} : { workspace }).pipe(
        Effect.map((approval) => approval.status === "pending" ? row(approval) : undefined),
        ifVisible,
        readable
      )
    }
  }
}
