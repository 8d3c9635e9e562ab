/** The draft of a service: the wire's JSON, with any member optional. Pure. */
import type { HttpService } from "@countersign/domain/services"
import type { Operation, Service } from "../hub/queries.ts"
import { keysField, type MergeField } from "../patterns/three-way.ts"
import type { catalogText } from "../text/catalog.ts"
import type { mergeText } from "../text/merge.ts"

export type Draft = Readonly<Record<string, unknown>>

export const emptyOperation = (): Draft => ({
  name: "",
  method: "POST",
  path: "/",
  payload_schema: { type: "object", properties: {}, additionalProperties: false },
  price: { type: "fixed" }
})

export const emptyService = (): Draft => ({
  name: "",
  kind: "http",
  base_url: "https://",
  operations: [emptyOperation()]
})

/** The editable fields of a service. */
export const draftOf = ({
  adapter: _a,
  enabled: _e,
  missing_secrets: _m,
  remaining: _r,
  settings: _s,
  shipped: _h,
  version: _v,
  ...definition
}: Service): Draft => definition

/** The draft as a body. The hub checks it, and the editor shows its problems at their fields. */
export const definitionIn = (draft: Draft): HttpService => draft as HttpService

/** The draft with one member set; undefined and empty text remove it. */
export const withField = (draft: Draft, name: string, value: unknown): Draft => {
  if (value !== undefined && value !== "") return { ...draft, [name]: value }
  const { [name]: _, ...rest } = draft
  return rest
}

/** As `withField`, but an empty text stays: the member is required. */
export const withText = (draft: Draft, name: string, value: string): Draft => ({ ...draft, [name]: value })

export const operationsIn = (draft: Draft): ReadonlyArray<Draft> =>
  Array.isArray(draft["operations"])
    ? draft["operations"].map((each) => (typeof each === "object" && each !== null ? (each as Draft) : {}))
    : []

export const withOperation = (draft: Draft, at: number, operation: Draft | undefined): Draft => {
  const operations = operationsIn(draft)
  return {
    ...draft,
    operations: operation === undefined
      ? operations.filter((_, each) => each !== at)
      : at >= operations.length
      ? [...operations, operation]
      : operations.map((each, index) => (index === at ? operation : each))
  }
}

/** Pointers as typed: separated by spaces or commas. */
export const pointersText = (value: unknown): string => Array.isArray(value) ? value.join(" ") : ""
export const pointersIn = (text: string): ReadonlyArray<string> | undefined => {
  const pointers = text.split(/[\s,]+/u).filter((pointer) => pointer !== "")
  return pointers.length === 0 ? undefined : pointers
}

export const textIn = (draft: Draft, name: string): string => (typeof draft[name] === "string" ? draft[name] : "")
export const recordIn = (draft: Draft, name: string): Draft =>
  typeof draft[name] === "object" && draft[name] !== null && !Array.isArray(draft[name]) ? (draft[name] as Draft) : {}

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies ReadonlyArray<
  NonNullable<Operation["method"]>
>
export const bodyTypes = ["json", "form", "multipart", "text"] as const satisfies ReadonlyArray<
  NonNullable<Operation["body_type"]>
>
export const queryStyles = ["form", "deepObject"] as const satisfies ReadonlyArray<
  NonNullable<Operation["query_style"]>
>

/** GET and HEAD have no body, so its members are removed. */
export const withMethod = (operation: Draft, method: string): Draft => {
  const next = { ...operation, method }
  if (method !== "GET" && method !== "HEAD") return next
  return withField(withField(next, "body", undefined), "body_type", undefined)
}

export const authTypes = ["none", "bearer", "basic", "header", "query", "oauth_app"] as const

const operationNamed = (draft: Draft, name: string): Draft | undefined =>
  operationsIn(draft).find((each) => textIn(each, "name") === name)

/** Copies one operation from another draft: changed, added, or removed. */
const copyOperation = (name: string) => (draft: Draft, from: Draft): Draft => {
  const operations = operationsIn(draft)
  const at = operations.findIndex((each) => textIn(each, "name") === name)
  return withOperation(draft, at === -1 ? operations.length : at, operationNamed(from, name))
}

/** The fields of the form, one for each operation by its name, to merge with another person's changes. */
export const serviceFields =
  (t: typeof catalogText["editor"], words: typeof mergeText) =>
  (...drafts: ReadonlyArray<Draft>): ReadonlyArray<MergeField<Draft>> => {
    const shown = (value: unknown) =>
      value === undefined ? words.none : typeof value === "string" ? value : JSON.stringify(value, null, 2)
    const one = (name: string, label: string): MergeField<Draft> => ({
      ...keysField<Draft>([name], label, (draft) => shown(draft[name])),
      copy: (draft, from) => withField(draft, name, from[name])
    })
    const names = new Set(drafts.flatMap((draft) => operationsIn(draft).map((each) => textIn(each, "name"))))
    return [
      one("title", t.titleField),
      one("description", t.description),
      one("base_url", t.base),
      one("auth", t.auth),
      ...[...names].map((name): MergeField<Draft> => ({
        key: `operation ${name}`,
        label: t.operationNamed(name),
        value: (draft) => operationNamed(draft, name),
        copy: copyOperation(name),
        show: (draft) => shown(operationNamed(draft, name))
      }))
    ]
  }
