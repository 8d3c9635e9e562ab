/** The request of an operation besides its path: query, headers, and body, with their encoding. */
import { Select } from "../components/select.tsx"
import { catalogText } from "../text/catalog.ts"
import { EntriesEditor } from "./entries-editor.tsx"
import { JsonField } from "./schema-form.tsx"
import { bodyTypes, type Draft, queryStyles, recordIn } from "./service-draft.ts"

export interface OperationRequestProps {
  readonly operation: Draft
  readonly set: (field: string, value: unknown) => void
  /** The error at a path below the operation. */
  readonly problem: (path: string, within?: boolean) => string | undefined
}

export const OperationRequest = ({ operation, problem, set }: OperationRequestProps) => {
  const t = catalogText.editor
  const query = recordIn(operation, "query")
  const takesBody = operation["method"] !== "GET" && operation["method"] !== "HEAD"
  const bodyType = bodyTypes.find((each) => each === operation["body_type"]) ?? "json"
  const hasLists = Object.keys(query).length > 0 || bodyType === "form" || operation["query_style"] !== undefined
  return (
    <>
      <EntriesEditor
        label={t.query}
        value={query}
        onChange={(next) => set("query", next)}
        problem={(at) => problem(`query.${at}`, true)}
      />
      {hasLists && (
        <Select
          label={t.queryStyle}
          description={t.queryStyleAbout}
          value={queryStyles.find((each) => each === operation["query_style"]) ?? ""}
          onChange={(next) => set("query_style", next)}
          options={["" as const, ...queryStyles].map((value) => ({
            value,
            text: t.queryStyles[value === "" ? "unset" : value]
          }))}
          error={problem("query_style")}
        />
      )}
      <EntriesEditor
        label={t.headers}
        value={recordIn(operation, "headers")}
        onChange={(next) => set("headers", next)}
        problem={(at) => problem(`headers.${at}`, true)}
      />
      {takesBody && (
        <>
          <Select
            label={t.bodyType}
            value={bodyType}
            onChange={(next) => set("body_type", next === "json" ? undefined : next)}
            options={bodyTypes.map((value) => ({ value, text: t.bodyTypes[value] }))}
            error={problem("body_type")}
          />
          <JsonField
            label={t.body}
            aside={t.optional}
            description={t.bodyAbouts[bodyType]}
            value={operation["body"]}
            onChange={(next) => set("body", next)}
            error={problem("body", true)}
          />
        </>
      )}
    </>
  )
}
