/** A service while it is written: the wire's JSON, in which anything may be missing yet. Pure. */
import type { Operation, Service } from "./queries.ts"

export type Draft = Readonly<Record<string, unknown>>

export const emptyOperation = (): Draft => ({
  name: "",
  method: "POST",
  path: "/",
  payload_schema: { type: "object", properties: {}, additionalProperties: false },
  price: { type: "fixed" }
})

export const emptyService = (): Draft => ({ name: "", kind: "http", base_url: "https://", operations: [emptyOperation()] })

/** What a person may write of a service that stands. */
export const draftOf = ({
  adapter: _a,
  enabled: _e,
  missing_secrets: _m,
  remaining: _r,
  settings: _s,
  shipped: _h,
  ...definition
}: Service): Draft => definition

/** With one member set; what is `undefined` or an empty text is left out. */
export const withField = (draft: Draft, name: string, value: unknown): Draft => {
  if (value !== undefined && value !== "") return { ...draft, [name]: value }
  const { [name]: _, ...rest } = draft
  return rest
}

/** As `withField`, but an empty text stays: a member that has to be there. */
export const withText = (draft: Draft, name: string, value: string): Draft => ({ ...draft, [name]: value })

export const operationsIn = (draft: Draft): ReadonlyArray<Draft> =>
  Array.isArray(draft["operations"])
    ? draft["operations"].map((each) => (typeof each === "object" && each !== null ? (each as Draft) : {}))
    : []

export const withOperation = (draft: Draft, at: number, operation: Draft | undefined): Draft => {
  const operations = operationsIn(draft)
  return {
    ...draft,
    operations:
      operation === undefined
        ? operations.filter((_, each) => each !== at)
        : at >= operations.length
          ? [...operations, operation]
          : operations.map((each, index) => (index === at ? operation : each))
  }
}

export const textIn = (draft: Draft, name: string): string => (typeof draft[name] === "string" ? draft[name] : "")
export const recordIn = (draft: Draft, name: string): Draft =>
  typeof draft[name] === "object" && draft[name] !== null && !Array.isArray(draft[name]) ? (draft[name] as Draft) : {}

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies ReadonlyArray<
  NonNullable<Operation["method"]>
>
export const authTypes = ["none", "bearer", "basic", "header", "query"] as const
