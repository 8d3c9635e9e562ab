/** Selects the operations to import and their prices; the next step is a preview. */
import type { Detail } from "@countersign/domain/errors"
import type { operationsMax as contractMax, ServiceAuth } from "@countersign/domain/services"
import type { Output } from "@countersign/hub-client/contract"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { fieldProblem, isReadable, isUnplaced } from "../app/field-problem.ts"
import { FormFrame, FormSubmit } from "../app/form.tsx"
import { markMade } from "../app/just-made.ts"
import { Problem } from "../app/problem.tsx"
import { keepWarnings, WarningList } from "../app/save-warnings.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"
import { catalogText as all } from "../text/catalog.ts"
import { AuthField } from "./auth-field.tsx"
import { placeWords } from "./definition-place.ts"
import { ImportOperations } from "./import-operations.tsx"
import { ImportPreview, type ImportPreviewProps } from "./import-preview.tsx"
import styles from "./import-screen.module.css"
import type { Source } from "./import-source.tsx"
import { type DeclaredPrice, isPrice, type PriceDraft, PriceField } from "./price-field.tsx"
import type { Draft } from "./service-draft.ts"
import { nameFrom } from "./service-name.ts"

export type Preview = Output<"services.previewImport">

export interface ImportPickProps {
  readonly source: Source
  readonly preview: Preview
  readonly onBack: () => void
}

/** Maximum number of operations in a service. Its type makes the compiler compare it with the contract. */
export const operationsMax: typeof contractMax = 200

export const ImportPick = ({ onBack, preview, source }: ImportPickProps) => {
  const t = all.import
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayAct = useMayAct()
  const [name, setName] = useState(() => nameFrom(preview.title))
  const [baseUrl, setBaseUrl] = useState(preview.base_url ?? "")
  const [auth, setAuth] = useState<Draft>(() => preview.auth ?? {})
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(preview.operations.slice(0, operationsMax).map(({ operation_id }) => operation_id))
  )
  const [price, setPrice] = useState<PriceDraft>({ type: "fixed" })
  const [own, setOwn] = useState<ReadonlyMap<string, PriceDraft>>(new Map())
  const [tried, setTried] = useState(false)
  /** The operations with their prices, while the preview is open. */
  const [looking, setLooking] = useState<ImportPreviewProps["operations"]>()
  const create = useAct("services.import", {
    workspace,
    touches: ["services", "secrets"],
    onDone: (made) => {
      const { service, skipped, warnings } = made
      const leftOut = skipped.map(({ operation, reason }) => ({ path: operation, message: reason }))
      markMade("service", workspace, service.name)
      keepWarnings(`${workspace}/services/${service.name}`, [...leftOut, ...warnings])
      showToast({ text: t.done(service.name) })
      void navigate({ to: "/w/$workspace/catalog/$service", params: { workspace, service: service.name } })
    }
  })
  const taken = preview.operations.filter(({ operation_id }) => picked.has(operation_id))
  const priceOf = (id: string): PriceDraft => own.get(id) ?? price
  const problems = {
    name: name.trim() === "" ? t.needName : undefined,
    base: baseUrl.trim() === "" ? t.needBase : undefined,
    pick: taken.length === 0 ? t.needPick : taken.length > operationsMax ? t.max(operationsMax) : undefined
  }
  const isPriced = taken.every(({ operation_id }) => isPrice(priceOf(operation_id)))
  const isComplete = Object.values(problems).every((each) => each === undefined) && isPriced
  const problemText = (mine: string | undefined, path: string, within = false) =>
    (tried ? mine : undefined) ?? fieldProblem(create.error, path, within)
  const send = () => {
    const prices = taken.flatMap(({ operation_id }) => {
      const each = own.get(operation_id)
      return each !== undefined && isPrice(each) ? [[operation_id, each] as const] : []
    })
    // If each operation has its own price, any of them can serve as the common one.
    const forAll = isPrice(price) ? price : prices[0]?.[1]
    if (forAll === undefined) return
    create.mutate({
      payload: {
        ...source,
        name: name.trim(),
        ...(baseUrl.trim() === preview.base_url ? {} : { base_url: baseUrl.trim() }),
        ...(auth["type"] === undefined ? {} : { auth: auth as ServiceAuth }),
        operation_ids: taken.map(({ operation_id }) => operation_id),
        price: forAll,
        ...(prices.length === 0 ? {} : { prices: Object.fromEntries(prices) })
      }
    })
  }
  if (preview.operations.length === 0) {
    return (
      <div className={styles.form}>
        <p className="type-lead" role="status">
          {t.none}
        </p>
        <ImportNotes preview={preview} />
        <div>
          <Button onClick={onBack}>{t.again}</Button>
        </div>
      </div>
    )
  }
  if (looking !== undefined) {
    return (
      <div className={styles.form}>
        <ImportPreview
          name={name.trim()}
          preview={preview}
          baseUrl={baseUrl.trim()}
          auth={auth}
          operations={looking}
        />
        <ImportWarnings operations={looking} preview={preview} />
        {create.error !== null
          && (isUnplaced(create.error, ["name", "base_url", "auth", "operation_ids", "price", "prices"])
            ? <Problem inline error={create.error} failed={t.failed} unchanged={t.unchanged} />
            : (
              <ul className="type-note weight-label text-stop wrap-anywhere" role="alert">
                {create.error.details.map(({ message, path }) => (
                  <li key={path + message}>
                    {`${placeWords(all, taken.map(({ name }) => name), path)}: ${message}`}
                  </li>
                ))}
              </ul>
            ))}
        <div className="flex justify-end gap-8">
          <Button disabled={create.isPending} onClick={() => setLooking(undefined)}>
            {t.back}
          </Button>
          <Button
            variant="primary"
            pending={create.isPending}
            pendingText={acts.asking}
            disabled={!mayAct}
            onClick={send}
          >
            {t.create}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <FormFrame
      className={styles.form}
      onSubmit={(form) => {
        setTried(true)
        if (!isComplete || !isReadable(form)) return
        setLooking(taken.map((operation) => ({ operation, price: priceOf(operation.operation_id) as DeclaredPrice })))
      }}
    >
      <Panel title={t.service}>
        <div className="grid gap-16 min-w-0">
          <div className={`grid items-start gap-16 ${styles.pair}`}>
            <TextField
              label={t.name}
              mono
              required
              maxLength={64}
              description={t.nameAbout}
              value={name}
              onChange={setName}
              error={problemText(problems.name, "name")}
            />
            <TextField
              label={t.base}
              mono
              required
              description={all.editor.baseAbout}
              value={baseUrl}
              onChange={setBaseUrl}
              error={problemText(problems.base, "base_url")}
            />
          </div>
          <AuthField
            value={auth}
            onChange={(next) => setAuth(next ?? {})}
            problem={(at) => fieldProblem(create.error, `auth.${at}`)}
          />
          {preview.auth !== undefined && <p className="type-note text-2">{t.proposedAuth}</p>}
        </div>
      </Panel>
      <Panel title={t.priceAll}>
        <PriceField
          value={price}
          onChange={setPrice}
          problem={(at) =>
            tried && !isPriced && !isPrice(price) && (at === "cents" || at === "ceiling")
              ? all.priceField.invalid
              : fieldProblem(create.error, `price.${at}`)}
        />
      </Panel>
      <ImportOperations
        preview={preview}
        picked={picked}
        onPick={setPicked}
        price={price}
        own={own}
        onOwn={setOwn}
        problem={problemText(problems.pick, "operation_ids", true)}
      />
      <ImportNotes preview={preview} />
      <div className="flex justify-end gap-8">
        <Button onClick={onBack}>{t.again}</Button>
        <FormSubmit variant="primary" act={t.next} />
      </div>
    </FormFrame>
  )
}

/** The parts of a document that the import leaves out, and why. */
const ImportNotes = ({ preview }: { readonly preview: Output<"services.previewImport"> }) => {
  const t = all.import
  const { skipped, warnings } = preview
  return (
    <>
      {skipped.length > 0 && (
        <details className={styles.skipped}>
          <summary>{t.skipped(skipped.length)}</summary>
          <ul>
            {skipped.map(({ operation, reason }) => (
              <li key={operation + reason}>
                <code className="type-mono text-2 wrap-anywhere">{operation}</code> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
      {warnings.length > 0 && (
        <details className={styles.skipped}>
          <summary>{t.warnings(warnings.length)}</summary>
          <ul>
            {warnings.map(({ message, path }) => <li key={path + message}>{message}</li>)}
          </ul>
        </details>
      )}
    </>
  )
}

/** Without the warnings of operations that were not picked; their messages begin with the operation's name. */
const ofPicked = (
  { operations, preview }: Pick<ImportPreviewProps, "operations" | "preview">
): ReadonlyArray<Detail> => {
  const picked = new Set(operations.map(({ operation }) => operation.name))
  const others = preview.operations.filter(({ name }) => !picked.has(name))
  return preview.warnings.filter(({ message }) => !others.some(({ name }) => message.startsWith(`${name}: `)))
}

/** The warnings of the hub about an imported service, before its creation. */
const ImportWarnings = ({ operations, preview }: Pick<ImportPreviewProps, "operations" | "preview">) => {
  const [later, setLater] = useState<ReadonlyArray<Detail>>([])
  useEffect(() => {
    let isLatest = true
    import("./checks.ts").then(
      ({ importedWarnings }) => isLatest && setLater(importedWarnings(operations)),
      // Without the checks, the hub shows the warnings when the service is created.
      () => {}
    )
    return () => {
      isLatest = false
    }
  }, [operations])
  const names = operations.map(({ operation }) => operation.name)
  const warnings = [
    ...ofPicked({ operations, preview }).map(({ message, path }) => ({ path: path === "auth" ? path : "", message })),
    ...later
  ]
  if (warnings.length === 0) return null
  return (
    <Panel title={all.import.warnings(warnings.length)}>
      <WarningList warnings={warnings} place={(path) => placeWords(all, names, path)} />
    </Panel>
  )
}
