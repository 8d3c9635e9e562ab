/**
 * Compares all blobs of a store with the rows: removes bytes that no object refers to, marks objects without bytes. It
 * reads lists of names only, so a million objects cost a thousand calls. Spec: reference/storage.md "Retention".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Effect, Stream } from "effect"
import { finalName, parseBlobName } from "./rules.ts"
import type { BlobArea, BlobStore, ListedBlob, StoreFailure } from "./store.ts"
import type { StorageSweepRepository, SweptRow } from "./sweep-repository.ts"

const hourMillis = 3_600_000
const uploadHours = 24
const orphanHours = 48
const rowsMax = 500

export interface CheckOptions {
  readonly at: Date
  /** The place where an earlier check stopped; empty: from the start. */
  readonly from: string
  readonly pagesMax: number
}

/** Whether a blob belongs to the row of its object. */
const isWanted = (blob: { readonly area: "tmp" | "o"; readonly last: string }, row: SweptRow): boolean =>
  blob.area === "tmp" ? row.upload === blob.last : String(row.generation) === blob.last

const placeOf = (name: string) => {
  const [, org = "", id = ""] = name.split("/")
  return { org, id }
}

export const objectCheck = (store: BlobStore, repository: StorageSweepRepository["Service"]) => {
  /** Only blobs that are old enough to belong to no upload in progress. */
  const removeUnwanted = Effect.fnUntraced(function*(area: BlobArea, page: ReadonlyArray<ListedBlob>, at: Date) {
    const oldest = at.getTime() - (area === "o/" ? orphanHours : uploadHours) * hourMillis
    const aged = page.flatMap(({ modifiedMillis, name }) => {
      const blob = parseBlobName(name)
      return blob === undefined || modifiedMillis > oldest ? [] : [{ ...blob, name }]
    })
    if (aged.length === 0) return
    const rows = new Map((yield* repository.rowsOf(aged.map(({ object }) => object))).map((row) => [row.id, row]))
    // A bucket may have objects of another hub: its workspaces do not exist here.
    const orgs = yield* repository.knownOrgs(aged.map(({ org }) => org))
    for (const blob of aged) {
      const row = rows.get(blob.object)
      if (orgs.has(blob.org) && (row === undefined || !isWanted(blob, row))) yield* store.remove(blob.name)
    }
  })

  /** Compares the rows whose blobs have names after `after`, up to `to`, with the names that the store has there. */
  const markMissing = Effect.fnUntraced(
    function*(after: string, to: string | undefined, names: ReadonlySet<string>, at: Date) {
      const range = { from: placeOf(after), to: to === undefined ? undefined : placeOf(to) }
      for (let last: { readonly org: OrgId; readonly id: string } | undefined;;) {
        const rows = yield* repository.confirmed({ ...range, after: last }, at, rowsMax)
        const listed = rows.flatMap(({ generation, id, org_id: org }) => {
          const name = finalName(org, id, generation)
          return name > after && (to === undefined || name <= to) ? [{ id, isPresent: names.has(name) }] : []
        })
        for (const isPresent of [true, false]) {
          const ids = listed.flatMap((object) => object.isPresent === isPresent ? [object.id] : [])
          if (ids.length > 0) yield* repository.mark(ids, !isPresent)
        }
        const end = rows.at(-1)
        if (end === undefined || rows.length < rowsMax) return
        last = { org: end.org_id, id: end.id }
      }
    }
  )

  return {
    /** Removes uploads that no row wants any more. */
    uploads: (at: Date): Effect.Effect<void, StoreFailure> =>
      Stream.runForEach(store.list("tmp/", ""), (page) => removeUnwanted("tmp/", page, at)),
    /** Checks some pages of the objects; returns the place where the next check continues. */
    objects: Effect.fnUntraced(function*({ at, from, pagesMax }: CheckOptions): Effect.fn.Return<string, StoreFailure> {
      let place = from
      let pages = 0
      yield* store.list("o/", from).pipe(
        Stream.take(pagesMax),
        Stream.runForEach(Effect.fnUntraced(function*(page) {
          const to = page.at(-1)?.name ?? place
          yield* markMissing(place, to, new Set(page.map(({ name }) => name)), at)
          yield* removeUnwanted("o/", page, at)
          place = to
          pages++
        }))
      )
      if (pages === pagesMax) return place
      yield* markMissing(place, undefined, new Set(), at)
      return ""
    })
  }
}
