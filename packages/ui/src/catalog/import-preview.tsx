/** A preview of the imported service. */
import { useQuery } from "@tanstack/react-query"
import { useWorkspaceId } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { secretChoices } from "../hub/queries.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { catalogText as t } from "../text/catalog.ts"
import type { Preview } from "./import-pick.tsx"
import styles from "./import-screen.module.css"
import type { DeclaredPrice } from "./price-field.tsx"
import { priceWords } from "./price.ts"
import { authTypes, type Draft, textIn } from "./service-draft.ts"

export interface ImportPreviewProps {
  readonly name: string
  readonly preview: Preview
  readonly baseUrl: string
  readonly auth: Draft
  readonly operations: ReadonlyArray<
    { readonly operation: Preview["operations"][number]; readonly price: DeclaredPrice }
  >
}

export const ImportPreview = ({ auth, baseUrl, name, operations, preview }: ImportPreviewProps) => {
  const secrets = useQuery(secretChoices(useWorkspaceId())).data?.data
  const type = authTypes.find((each) => each === auth["type"]) ?? "none"
  const secret = textIn(auth, "secret")
  const isMissing = secret !== "" && secrets !== undefined && !secrets.some((each) => each.name === secret)
  return (
    <Panel title={t.import.preview} flush>
      <div className="p-16 border-b">
        <p className="type-note text-2">{t.import.previewAbout}</p>
        <KeyValueList
          items={[
            {
              key: "name",
              name: t.detail.facts.name,
              value: <code className="type-mono text-2 wrap-anywhere">{name}</code>
            },
            ...(preview.title === undefined ? [] : [{ key: "title", name: t.editor.titleField, value: preview.title }]),
            {
              key: "base",
              name: t.detail.facts.base,
              value: <code className="type-mono text-2 wrap-anywhere">{baseUrl}</code>
            },
            {
              key: "auth",
              name: t.detail.facts.auth,
              value: type === "none"
                ? (
                  t.detail.auths.none
                )
                : (
                  <>
                    {t.detail.auths[type]} <code className="type-mono text-2 wrap-anywhere">{secret}</code>
                  </>
                )
            },
            { key: "count", name: t.detail.operations, value: t.operations(operations.length) }
          ]}
        />
        {isMissing && <p className="type-note text-2">{t.import.missingSecret(secret)}</p>}
      </div>
      <ul className={styles.operations} aria-label={t.detail.operations} tabIndex={0}>
        {operations.map(({ operation, price }) => (
          <li key={operation.operation_id} className={`grid items-center gap-2 gap-x-16 type-body ${styles.operation}`}>
            <span>
              <span className="weight-label">{operation.title ?? operation.name}</span>{" "}
              <code className="type-mono text-2 wrap-anywhere">{operation.name}</code>
            </span>
            <code className={`type-mono text-2 wrap-anywhere ${styles.call}`}>
              {`${operation.method} ${operation.path}`}
            </code>
            <span className="tabular-nums text-end">{priceWords(t.price, price)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
