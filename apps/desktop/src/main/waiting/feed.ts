/** One hub's part of `Connections`, as what waits is read from it: this is all that the model asks of a hub. */
import type { Approval } from "@countersign/domain/approvals"
import { HubError } from "@countersign/ui/hub/error"
import { Effect, type Stream } from "effect"
import type { ConnectionsShape, HubNews } from "../hub/port.ts"
import type { ProfileId } from "../profiles/profile.ts"
import { rowsMax } from "./hub-waiting.ts"
import { rowOf, type WaitingRow } from "./row.ts"

const pageRows = 200

export interface HubFeed {
  readonly news: Stream.Stream<HubNews>
  /** Everything that waits, as of a moment after it was asked for. */
  readonly list: Effect.Effect<{ readonly rows: ReadonlyArray<WaitingRow>; readonly more: boolean }, HubError>
  /** None: it does not wait any more, or is not for this person. */
  readonly read: (id: string, workspace: string | undefined) => Effect.Effect<WaitingRow | undefined, HubError>
}

/** A newer hub may answer what this app does not understand. */
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
