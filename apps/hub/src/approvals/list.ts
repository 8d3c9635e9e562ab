/** The lists of approvals for people, as pages and as an export. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Configuration } from "../dispatch/decision/configuration.ts"
import type { Place, Sorted } from "../platform/keyset.ts"
import { foldText, hasWords, jsonValues, sealOf, searchWords } from "../search/rules.ts"
import { isShownWhole, shownRequestText } from "../search/shown-text.ts"
import type { StoredApproval } from "./approval-rows.ts"
import { type ApprovalListFilter, ApprovalListRepository, type TextSearch } from "./list-repository.ts"

/** Maximum number of rows that one page of a search reads; a page may be short or empty and still have a next page. */
const searchedRowsMax = 2_000

export interface ApprovalPage {
  readonly rows: ReadonlyArray<StoredApproval & Sorted>
  /** The place of the next page. */
  readonly next: Place | undefined
}

const placeOf = ({ id, sort_key }: Sorted): Place => ({ key: sort_key, id })

export class ApprovalList extends Context.Service<ApprovalList, {
  /**
   * At most `limit` approvals. With `q`, those in which every word occurs in the agent, the device, the operation, the
   * reason, or the visible values of the payload, and those whose id or digest equals it.
   */
  readonly page: (
    orgs: ReadonlyArray<OrgId>,
    filter: ApprovalListFilter & {
      readonly q: string | undefined
      readonly after: Place | undefined
      readonly limit: number
    }
  ) => Effect.Effect<ApprovalPage>
}>()("@countersign/hub/approvals/ApprovalList") {
  static readonly layer = Layer.effect(
    ApprovalList,
    Effect.gen(function*() {
      const repository = yield* ApprovalListRepository
      const configuration = yield* Configuration

      /**
       * Whether a row of a search matches. The database has compared all texts except masked payloads, device plans,
       * and texts that are not indexed yet.
       */
      const matches = Effect.fnUntraced(
        function*(approval: StoredApproval, { q, seal, words }: TextSearch, unindexed: ReadonlySet<string>) {
          if (approval.id === q || seal !== undefined && approval.payload_digest.startsWith(seal)) return true
          const own = `${approval.agent?.name ?? ""} ${approval.reason}`
          const wanted = words.map(({ folded }) => folded)
          if (approval.kind === "device_command") {
            return hasWords(
              foldText(`${own} ${approval.device.name} ${approval.operation} ${jsonValues(approval.payload)}`),
              wanted
            )
          }
          if (approval.kind === "workflow_step") {
            return hasWords(foldText(`${own} ${jsonValues(approval.payload)}`), wanted)
          }
          const org = yield* Effect.promise(() => configuration.org(approval.org_id))
          if (isShownWhole(org, approval) && !unindexed.has(approval.request_id)) return true
          return hasWords(`${foldText(own)} ${shownRequestText(org, { ...approval, id: approval.request_id })}`, wanted)
        }
      )

      const search = Effect.fnUntraced(function*(
        orgs: ReadonlyArray<OrgId>,
        { after, limit, ...filter }: Parameters<typeof repository.page>[1],
        textSearch: TextSearch
      ) {
        const unindexed = new Set(textSearch.unindexed)
        const rows: Array<StoredApproval & Sorted> = []
        let [at, read] = [after, 0]
        while (read < searchedRowsMax) {
          const found = yield* repository.page(orgs, { ...filter, after: at, limit })
          for (const row of found.slice(0, limit)) {
            if (rows.length === limit) return { rows, next: at }
            at = placeOf(row)
            if (yield* matches(row, textSearch, unindexed)) rows.push(row)
          }
          if (found.length <= limit) return { rows, next: undefined }
          read += limit
          // Comparing a long text takes milliseconds: let other fibers run in between.
          yield* Effect.yieldNow
        }
        return { rows, next: at }
      })

      return ApprovalList.of({
        page: Effect.fn("ApprovalList.page")(function*(orgs, { q: text = "", ...filter }) {
          const q = text.trim()
          const words = searchWords(q)
          if (words.length === 0) {
            const found = yield* repository.page(orgs, { ...filter, textSearch: undefined })
            const rows = found.slice(0, filter.limit)
            const last = found.length > filter.limit ? rows.at(-1) : undefined
            return { rows, next: last === undefined ? undefined : placeOf(last) }
          }
          const all = [...orgs, ...filter.ownIn.orgs]
          const textSearch = { q, seal: sealOf(q), ...yield* repository.textSearch(all, filter.statuses, words) }
          return yield* search(orgs, { ...filter, textSearch }, textSearch)
        })
      })
    })
  )
}
