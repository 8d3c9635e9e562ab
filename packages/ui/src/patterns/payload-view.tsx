/** A request's payload in three views: as the schema's fields, as JSON, and compared with the last approved payload. */
import { type ReactNode, Suspense } from "react"
import { lazyPart } from "../components/lazy-part.ts"
import { Tabs } from "../components/tabs.tsx"
import type { JsonTreeTexts } from "./json-tree.tsx"
import type { PayloadDiffTexts } from "./payload-diff.tsx"
import { PayloadForm, type PayloadFormTexts } from "./payload-form.tsx"
import styles from "./payload-view.module.css"

const JsonTree = lazyPart(() => import("./json-tree.tsx"))
const PayloadDiff = lazyPart(() => import("./payload-diff.tsx"))

export type PayloadViewMode = "form" | "json" | "diff"

export interface PayloadViewTexts extends PayloadFormTexts, JsonTreeTexts, PayloadDiffTexts {
  readonly label: string
  readonly form: string
  readonly json: string
  readonly diff: string
}

export interface PayloadViewProps {
  readonly payload: unknown
  /** JSON Schema of the operation's input, if known. */
  readonly schema?: unknown
  /** The last approved payload of the same agent and operation; without it there is no comparison. */
  readonly previous?: unknown
  /** A note on the previous request, such as a link with its time. */
  readonly previousNote?: ReactNode
  readonly view: PayloadViewMode
  readonly onView: (view: PayloadViewMode) => void
  /** Caps of the shortcuts that change the view, if the caller binds them. */
  readonly keys?: { readonly [K in PayloadViewMode]?: ReadonlyArray<string> | undefined } | undefined
  /** Rendered after the payload once all of it is rendered. */
  readonly end?: ReactNode
  readonly texts: PayloadViewTexts
}

export const PayloadView = (
  { payload, schema, previous, previousNote, view, onView, keys = {}, end, texts }: PayloadViewProps
) => {
  const current = view === "diff" && previous === undefined ? "form" : view
  return (
    <Tabs
      label={texts.label}
      tabs={[
        { value: "form" as const, text: texts.form, keys: keys.form },
        { value: "json" as const, text: texts.json, keys: keys.json },
        ...(previous === undefined ? [] : [{ value: "diff" as const, text: texts.diff, keys: keys.diff }])
      ]}
      value={current}
      onChange={onView}
    >
      <div className={styles.view}>
        <Suspense fallback={null}>
          {current === "form" && <PayloadForm payload={payload} schema={schema} texts={texts} />}
          {current === "json" && <JsonTree value={payload} end={end} texts={texts} />}
          {current === "diff" && <PayloadDiff before={previous} after={payload} note={previousNote} texts={texts} />}
          {current !== "json" && end}
        </Suspense>
      </div>
    </Tabs>
  )
}
