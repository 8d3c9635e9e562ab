import type { Row } from "@countersign/hub-client/contract"

type Entry = Pick<Row<"audit.list">, "action" | "subject" | "data" | "created_at">

/** Both lists are newest first; `grants` may start later than `offers`. */
export const devicesWithNewOffers = (
  offers: ReadonlyArray<Entry>,
  grants: ReadonlyArray<Entry>,
  reachesBack: boolean
): ReadonlySet<string> => {
  const oldest = grants.at(-1)?.created_at ?? ""
  const granted = (id: string, since: string) =>
    grants.some(({ created_at, data, subject }) =>
      subject?.id === id && created_at > since && "granted" in (data as object)
    )
  return new Set(
    offers.flatMap(({ created_at, subject }) =>
      subject === undefined || granted(subject.id, created_at) || (!reachesBack && created_at < oldest)
        ? []
        : [subject.id]
    )
  )
}
