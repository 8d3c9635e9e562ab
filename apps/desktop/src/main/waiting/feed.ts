/** Reads the pending approvals of one hub through `Connections`; the model uses the hub only through this interface. */
import type { Approval } from "@countersign/domain/approvals"
import { HubError } from "@countersign/hub-client/error"
import { Effect, type Stream } from "effect"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { ConnectionsShape, HubNews } from "../hub/port.ts"
import { rowsMax } from "./hub-waiting.ts"
import { rowOf, type WaitingRow } from "./row.ts"

const pageRows = 200

export interface HubFeed {
  readonly news: Stream.Stream<HubNews>
  /** All pending approvals, as of a moment after the call. */
  readonly list: Effect.Effect<{ readonly rows: ReadonlyArray<WaitingRow>; readonly more: boolean }, HubError>
  /** Undefined: the approval is no longer pending, or not visible to this person. */
  readonly read: (id: string, workspace: string | undefined) => Effect.Effect<WaitingRow | undefined, HubError>
}

/** A newer hub may send an answer that this app cannot decode. */
const read = <A>(by: () => A): Effect.Effect<A, HubError> =>
  Effect.try({
    try: by,
    catch: () => new HubError({ status: 0, code: "unreadable_answer", message: "The answer was not understood." })
  })

export const feedOf = (
  { aheadMillis, call, events }: Pick<ConnectionsShape, "aheadMillis" | "call" | "events">,
  profile: ProfileId,
  options: { readonly withPayload: boolean }
): HubFeed => {
  const row = (approval: Approval): WaitingRow => rowOf(approval, { ...options, aheadMillis: aheadMillis(profile) })
  return {
    news: events(profile),
    list: Effect.gen(function*() {
      const rows: Array<WaitingRow> = []
      let cursor: string | undefined
      do {
        const page = yield* call(profile, "approvals.list", {
          query: { workspace: "all", status: ["pending"], limit: pageRows, ...(cursor === undefined ? {} : { cursor }) }
        })
        rows.push(...yield* read(() => page.data.map(row)))
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined && rows.length < rowsMax)
      return { rows, more: cursor !== undefined }
    }),
    read: (id, workspace) =>
      call(profile, "approvals.get", { params: { id } }, workspace === undefined ? {} : { workspace }).pipe(
        Effect.flatMap((approval) => read(() => approval.status === "pending" ? row(approval) : undefined)),
        Effect.catch((error) => error.status === 404 || error.status === 403 ? Effect.undefined : Effect.fail(error))
      )
  }
}
