/**
 * Edits a condition as a form or as CEL text: two views of one text. A condition that the form cannot show is edited as
 * text, with the reason.
 */
import { type RequestField } from "@countersign/domain/condition-builder"
import { Result } from "effect"
import { X } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { MoneyField, TextArea } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { conditionsText as t } from "../text/conditions.ts"
import styles from "./condition-editor.module.css"
import {
  type Draft,
  draftOf,
  hasValue,
  isList,
  type KnownField,
  needsValue,
  newRow,
  onField,
  operatorsOf,
  pathText,
  readPath,
  type Row,
  textOf
} from "./condition-rows.ts"

export interface ConditionEditorProps {
  readonly label: string
  /** The CEL expression. */
  readonly value: string
  readonly onChange: (text: string) => void
  /** Whether the form has an incomplete row; the text is then the last complete one. */
  readonly onIncomplete: (isIncomplete: boolean) => void
  /** Fields of the request, in addition to those of the payload. */
  readonly requestFields: ReadonlyArray<RequestField>
  readonly payloadFields: ReadonlyArray<KnownField>
  readonly description?: ReactNode
  readonly error?: ReactNode
  readonly required?: boolean
  /** The position of the error in the text. */
  readonly range?: { readonly start: number; readonly end: number } | undefined
}

const expressionMax = 4_096

export const ConditionEditor = (props: ConditionEditorProps) => {
  const { description, error, label, onChange, onIncomplete, payloadFields, range, required, requestFields, value } =
    props
  const [view, setView] = useState<"form" | "text">("form")
  const [draft, setDraft] = useState(() => draftOf(value, payloadFields))
  const [written, setWritten] = useState(value)
  // The text changed outside the form: by hand, or by a merge.
  useEffect(() => {
    if (value === written) return
    setWritten(value)
    setDraft(draftOf(value, payloadFields))
    onIncomplete(false)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [value])

  const edit = (next: Draft) => {
    setDraft(Result.succeed(next))
    const text = next.rows.length === 0 ? "" : textOf(next)
    onIncomplete(text === undefined)
    if (text === undefined) return
    setWritten(text)
    onChange(text)
  }
  const shown = Result.isSuccess(draft) ? draft.success : undefined
  const unshown = Result.isFailure(draft) ? draft.failure : undefined
  const isForm = view === "form" && shown !== undefined
  return (
    <div className="grid gap-8 min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-8">
        <span className="type-label text-1">{label}</span>
        <RadioGroup
          label={t.views}
          labelHidden
          inline
          value={isForm ? "form" : "text"}
          onChange={setView}
          options={[{ value: "form", text: t.form, disabled: shown === undefined }, { value: "text", text: t.text }]}
        />
      </div>
      {isForm
        ? (
          <Rows
            draft={shown}
            onChange={edit}
            requestFields={requestFields}
            payloadFields={payloadFields}
            isRefused={error !== undefined}
          />
        )
        : (
          <TextArea
            label={label}
            labelHidden
            mono
            required={required}
            rows={3}
            maxLength={expressionMax}
            value={value}
            onChange={onChange}
            description={description}
            error={error}
          />
        )}
      {isForm && error !== undefined && <p role="alert" className="type-note text-stop">{error}</p>}
      {range !== undefined && error !== undefined && <Place source={value} range={range} />}
      {unshown !== undefined && value.trim() !== "" && (
        <p className="type-note text-2">{unshown.kind === "grammar" ? unshown.message : t[unshown.kind]}</p>
      )}
      {isForm && value !== "" && <code className="type-mono text-3 wrap-anywhere">{value}</code>}
    </div>
  )
}

/** The line with the error, with the error's position marked. */
const Place = (
  { range, source }: { readonly range: { readonly start: number; readonly end: number }; readonly source: string }
) => {
  const before = source.slice(0, range.start)
  const from = before.lastIndexOf("\n") + 1
  const end = source.indexOf("\n", range.start)
  const line = source.slice(from, end < 0 ? source.length : end)
  const at = range.start - from
  const length = Math.max(1, Math.min(range.end - range.start, line.length - at))
  return (
    <p className={`grid gap-4 wrap-anywhere ${styles.place}`}>
      <span className="type-note text-2">{t.at(before.split("\n").length, at + 1)}</span>
      <code>
        {line.slice(0, at)}
        <mark className={styles.mark}>{line.slice(at, at + length) || " "}</mark>
        {line.slice(at + length)}
      </code>
    </p>
  )
}

interface RowsProps extends Pick<ConditionEditorProps, "requestFields" | "payloadFields"> {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** The form was refused: an empty value is reported at its field. */
  readonly isRefused: boolean
}

const Rows = ({ draft, isRefused, onChange, payloadFields, requestFields }: RowsProps) => {
  const { join, rows } = draft
  const set = (row: Row) => onChange({ join, rows: rows.map((each) => each.id === row.id ? row : each) })
  const first = requestFields[0] ?? payloadFields[0]
  return (
    <div className="grid gap-8 min-w-0">
      {rows.length > 1 && (
        <Select
          className={styles.join}
          label={t.join}
          labelHidden
          value={join}
          onChange={(next) => onChange({ join: next, rows })}
          options={(["all", "any"] as const).map((value) => ({ value, text: t.joins[value] }))}
        />
      )}
      {rows.length === 0
        ? <p className="type-note text-2">{t.none}</p>
        : (
          <ul className="grid gap-8" aria-label={t.tests}>
            {rows.map((row, at) => (
              <li key={row.id} className={`grid items-start gap-8 border-b ${styles.row}`}>
                <RowFields
                  position={at + 1}
                  row={row}
                  onChange={set}
                  requestFields={requestFields}
                  payloadFields={payloadFields}
                  isRefused={isRefused}
                />
                <IconButton
                  label={t.remove(at + 1)}
                  icon={<X />}
                  onClick={() =>
                    onChange({ join: rows.length === 2 ? "all" : join, rows: rows.filter(({ id }) => id !== row.id) })}
                />
              </li>
            ))}
          </ul>
        )}
      <div>
        <Button
          size="small"
          onClick={() =>
            onChange({ join, rows: [...rows, newRow(Math.max(-1, ...rows.map(({ id }) => id)) + 1, first)] })}
        >
          {t.add}
        </Button>
      </div>
    </div>
  )
}

interface RowFieldsProps extends Pick<RowsProps, "requestFields" | "payloadFields" | "isRefused"> {
  readonly position: number
  readonly row: Row
  readonly onChange: (row: Row) => void
}

const other = "payload"

const RowFields = ({ isRefused, onChange, payloadFields, position, requestFields, row }: RowFieldsProps) => {
  const known = payloadFields.find(({ path }) => pathText(path) === row.path)
  const [isTyped, setTyped] = useState(row.field === "payload" && known === undefined)
  const operators = operatorsOf(row)
  const path = readPath(row.path)
  const showsPath = row.field === "payload" && (isTyped || known === undefined)
  return (
    <div className={`grid items-start gap-8 ${styles.fields}`} role="group" aria-label={t.test(position)}>
      <Select
        label={t.field}
        labelHidden
        value={row.field !== "payload" ? row.field : showsPath ? other : `payload ${row.path}`}
        onChange={(next) => {
          const picked = payloadFields.find((one) => `payload ${pathText(one.path)}` === next)
          setTyped(next === other)
          onChange(onField(row, picked ?? requestFields.find((one) => one === next)))
        }}
        options={[
          ...requestFields.map((value) => ({ value: value as string, text: t.fields[value] })),
          ...payloadFields.map((one) => ({
            value: `payload ${pathText(one.path)}`,
            text: t.payloadField(pathText(one.path))
          })),
          { value: other, text: t.otherField }
        ]}
      />
      {showsPath && (
        <>
          <TextField
            label={t.path}
            labelHidden
            mono
            prefix="payload."
            placeholder={t.pathPlaceholder}
            value={row.path}
            onChange={(next) => onChange({ ...row, path: next })}
            error={row.path !== "" && path === undefined ? t.pathInvalid : undefined}
          />
          <Select
            label={t.type}
            labelHidden
            value={row.type}
            onChange={(type) => {
              const [operator = "=="] = operatorsOf({ field: "payload", type })
              onChange({ ...row, type, operator, value: type === "boolean" ? "true" : "" })
            }}
            options={(["text", "number", "boolean"] as const).map((value) => ({ value, text: t.types[value] }))}
          />
        </>
      )}
      <Select
        label={t.operator}
        labelHidden
        value={row.operator}
        onChange={(operator) =>
          onChange({
            ...row,
            operator,
            value: isList(operator) === isList(row.operator) ? row.value : row.value.split("\n")[0] ?? ""
          })}
        options={operators.map((value) => ({ value, text: t.operators[value] }))}
      />
      {needsValue(row.operator) && <Value row={row} onChange={onChange} isRefused={isRefused} />}
      {row.field === "payload" && needsValue(row.operator) && (
        <Checkbox
          label={t.optional}
          checked={row.optional}
          onChange={(optional) => onChange({ ...row, optional })}
        />
      )}
    </div>
  )
}

const Value = ({ isRefused, onChange, row }: Pick<RowFieldsProps, "isRefused" | "onChange" | "row">) => {
  const isEmpty = row.value.trim() === ""
  const error = isEmpty ? isRefused ? t.valueMissing : undefined : hasValue(row) ? undefined : t.numberInvalid
  const set = (value: string) => onChange({ ...row, value })
  if (isList(row.operator)) {
    return (
      <TextArea
        label={t.values}
        rows={2}
        value={row.value}
        onChange={set}
        error={error}
      />
    )
  }
  if (row.field === "ceiling_cents") {
    return (
      <MoneyField
        label={t.value}
        labelHidden
        value={row.value === "" ? undefined : Number(row.value)}
        onChange={(cents) => set(cents === undefined ? "" : String(cents))}
        invalidText={t.moneyInvalid}
        error={error}
      />
    )
  }
  if (row.type === "boolean") {
    return (
      <Select
        label={t.value}
        labelHidden
        value={row.value === "false" ? "false" : "true"}
        onChange={set}
        options={(["true", "false"] as const).map((value) => ({ value, text: t.booleans[value] }))}
      />
    )
  }
  return (
    <TextField
      label={t.value}
      labelHidden
      inputMode={row.type === "number" ? "decimal" : undefined}
      placeholder={t.value}
      value={row.value}
      onChange={set}
      error={error}
    />
  )
}
