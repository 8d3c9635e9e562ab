/** One operation in the service editor. */
import { Trash2 } from "lucide-react"
import { useState } from "react"
import { Badge } from "../components/badge.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { NumberField, TextArea } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { catalogText } from "../text/catalog.ts"
import { OperationRequest } from "./operation-request.tsx"
import { PayloadSchemaEditor } from "./payload-schema-editor.tsx"
import { type PriceDraft, PriceField } from "./price-field.tsx"
import { JsonField } from "./schema-form.tsx"
import {
  type Draft,
  methods,
  pointersIn,
  pointersText,
  recordIn,
  textIn,
  withField,
  withMethod,
  withText
} from "./service-draft.ts"
import styles from "./service-editor.module.css"

export interface OperationEditorProps {
  readonly operation: Draft
  readonly number: number
  readonly onChange: (operation: Draft) => void
  /** Undefined if it is the only operation. */
  readonly onRemove: (() => void) | undefined
  /** The error at a path below the operation. */
  readonly problem: (path: string, within?: boolean) => string | undefined
}

export const OperationEditor = ({ number, onChange, onRemove, operation, problem }: OperationEditorProps) => {
  const t = catalogText.editor
  const name = textIn(operation, "name")
  const label = name === "" ? t.operation(number) : name
  const method = textIn(operation, "method")
  const price = recordIn(operation, "price")
  const set = (field: string, value: unknown) => onChange(withField(operation, field, value))
  // The text as typed, including a separator at its end.
  const [summary, setSummary] = useState("")
  return (
    <Panel
      level={3}
      title={label}
      actions={
        <>
          {operation["async"] !== undefined && <Badge tone="info">{t.hasAsync}</Badge>}
          {onRemove !== undefined && (
            <IconButton label={t.removeOperation(label)} icon={<Trash2 />} onClick={onRemove} />
          )}
        </>
      }
    >
      <div className="grid gap-16 min-w-0">
        <div className={styles.pair}>
          <TextField
            label={t.name}
            mono
            required
            maxLength={64}
            value={name}
            onChange={(next) => onChange(withText(operation, "name", next))}
            error={problem("name")}
          />
          <TextField
            label={t.titleField}
            aside={t.optional}
            value={textIn(operation, "title")}
            onChange={(next) => set("title", next)}
            error={problem("title")}
          />
        </div>
        <TextArea
          label={t.description}
          aside={t.optional}
          rows={2}
          value={textIn(operation, "description")}
          onChange={(next) => set("description", next)}
          error={problem("description")}
        />
        <div className={`grid items-start gap-16 ${styles.call}`}>
          <Select
            label={t.method}
            translate="no"
            value={methods.find((each) => each === method)}
            onChange={(next) => onChange(withMethod(operation, next))}
            options={methods.map((value) => ({ value, text: value }))}
            error={problem("method")}
          />
          <TextField
            label={t.path}
            mono
            required
            description={t.pathAbout}
            value={textIn(operation, "path")}
            onChange={(next) => onChange(withText(operation, "path", next))}
            error={problem("path")}
          />
        </div>
        <PriceField
          value={price["type"] === "quoted"
            ? ({ ...price, type: "quoted", ceiling: textIn(price, "ceiling") } as PriceDraft)
            : (price as PriceDraft)}
          onChange={(next) => set("price", next)}
          problem={(at) => problem(`price.${at}`)}
        />
        {problem("price") !== undefined && (
          <p role="alert" className="type-note weight-label text-stop wrap-anywhere">
            {problem("price")}
          </p>
        )}
        <PayloadSchemaEditor
          label={label}
          value={operation["payload_schema"]}
          onChange={(next) => set("payload_schema", next)}
          problem={problem("payload_schema", true)}
        />
        <details className={`pt-12 border-t ${styles.more}`}>
          <summary className={styles.summary}>{t.more}</summary>
          <div className="grid gap-16 min-w-0">
            <OperationRequest operation={operation} set={set} problem={problem} />
            <div className={styles.pair}>
              <TextField
                label={t.result}
                aside={t.optional}
                mono
                description={t.resultAbout}
                value={textIn(operation, "result")}
                onChange={(next) => set("result", next)}
                error={problem("result")}
              />
              <NumberField
                label={t.timeout}
                aside={t.optional}
                suffix={t.timeoutUnit}
                min={100}
                max={600_000}
                step={1_000}
                invalidText={t.timeoutInvalid}
                value={typeof operation["timeout_ms"] === "number" ? operation["timeout_ms"] : undefined}
                onChange={(next) => set("timeout_ms", next)}
                error={problem("timeout_ms")}
              />
              <Select
                label={t.unknown}
                description={t.unknownAbout}
                value={operation["unknown"] === "hold" || operation["unknown"] === "fail" ? operation["unknown"] : ""}
                onChange={(next) => set("unknown", next)}
                options={(["", "fail", "hold"] as const).map((value) => ({
                  value,
                  text: t.unknowns[value === "" ? "unset" : value]
                }))}
              />
            </div>
            <Checkbox
              label={t.idempotent}
              description={t.idempotentAbout}
              checked={operation["idempotent"] === true}
              onChange={(on) => set("idempotent", on ? true : undefined)}
            />
            <TextField
              label={t.summary}
              aside={t.optional}
              mono
              description={t.summaryAbout}
              value={pointersText(pointersIn(summary)) === pointersText(operation["summary"])
                ? summary
                : pointersText(operation["summary"])}
              onChange={(next) => {
                setSummary(next)
                set("summary", pointersIn(next))
              }}
              error={problem("summary", true)}
            />
            <JsonField
              label={t.example}
              aside={t.optional}
              description={t.exampleAbout}
              value={operation["example"]}
              onChange={(next) => set("example", next)}
              error={problem("example", true)}
            />
            <p className="type-note text-3">{t.asyncNote}</p>
          </div>
        </details>
      </div>
    </Panel>
  )
}
