/**
 * A payload as fields of its schema. Values are shown in full and wrapped: approved content is never behind a tooltip.
 */
import { type CSSProperties, useMemo } from "react"
import { Badge } from "../components/badge.tsx"
import { payloadFields } from "./payload-fields.ts"
import styles from "./payload-form.module.css"
import { RevealedText, type RevealTexts } from "./revealed-text.tsx"

export interface PayloadFormTexts extends RevealTexts {
  readonly masked: string
  /** The label of a member that the schema does not name. */
  readonly undescribed: string
  readonly empty: string
  readonly items: (count: number) => string
}

export interface PayloadFormProps {
  readonly payload: unknown
  readonly schema?: unknown
  readonly texts: PayloadFormTexts
}

const mono = new Set(["number", "boolean", "null"])

export const PayloadForm = ({ payload, schema, texts }: PayloadFormProps) => {
  const fields = useMemo(() => payloadFields(schema, payload), [schema, payload])
  if (fields.length === 0) return <p className="text-3">{texts.empty}</p>
  return (
    <dl className="container-inline">
      {fields.map((field) => (
        <div key={field.path} className={styles.field} style={{ "--depth": field.depth } as CSSProperties}>
          <dt className={styles.name}>
            <RevealedText text={field.name} texts={texts} />
            {field.undescribed && <Badge>{texts.undescribed}</Badge>}
            {field.description !== undefined && <p className={styles.about}>{field.description}</p>}
          </dt>
          <dd className={mono.has(field.kind) ? styles.code : styles.value}>
            {field.kind === "masked"
              ? <Badge>{texts.masked}</Badge>
              : field.kind === "group"
              ? <span className={styles.about}>{texts.items(Number(field.text))}</span>
              : field.text === ""
              ? <span className={styles.about}>{texts.empty}</span>
              : <RevealedText text={field.text} texts={texts} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}
