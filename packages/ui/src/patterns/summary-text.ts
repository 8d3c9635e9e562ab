/** The summary fields of a payload in one line: "Acme · $42.00 · 3". Pure. */
import { formatMoney } from "../components/money-text.ts"

export interface SummaryValue {
  readonly label: string
  readonly value: string | number | boolean
  readonly format?: "cents" | undefined
}

/** A number or boolean is shown with its field's name, since it has no meaning alone. */
export const summaryValueText = ({ format, label, value }: SummaryValue): string =>
  format === "cents" && typeof value === "number"
    ? formatMoney(value)
    : typeof value === "string"
    ? value
    : `${label} ${String(value)}`

export const summaryText = (fields: ReadonlyArray<SummaryValue> = []): string =>
  fields.map(summaryValueText).join(" · ")
