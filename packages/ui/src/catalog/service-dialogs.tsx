/** What is asked before a service is switched off or deleted, and where a price of one operation is set. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { fieldProblem, isReadable, isUnplaced } from "../app/field-problem.ts"
import { FormDialog } from "../app/form-dialog.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { catalogText } from "../text/catalog.ts"
import { useText } from "../text/catalogue.ts"
import { isPrice, type PriceDraft, PriceField } from "./price-field.tsx"
import type { Operation, Service } from "./queries.ts"
import styles from "./service-screen.module.css"

interface DialogProps {
  readonly service: Service
  readonly onClose: () => void
}

export const SwitchOffDialog = ({ onClose, service }: DialogProps) => {
  const t = useText(catalogText).off
  const acts = useText(actText)
  const mayAct = useMayAct()
  const update = useAct("services.update", {
    workspace: useWorkspaceId(),
    touches: ["services"],
    onDone: ({ name }) => {
      showToast({ text: t.done(name) })
      onClose()
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.title(service.name)}
      description={t.what}
      confirmText={t.act}
      cancelText={acts.cancel}
      onConfirm={() => mayAct && update.mutate({ params: { name: service.name }, payload: { enabled: false } })}
      pending={update.isPending}
      pendingText={acts.asking}
      danger
      error={update.error === null ? undefined : <Problem inline error={update.error} failed={t.failed} />}
    />
  )
}

export const DeleteServiceDialog = ({ onClose, service }: DialogProps) => {
  const t = useText(catalogText).remove
  const acts = useText(actText)
  const mayAct = useMayAct()
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const remove = useAct("services.remove", {
    workspace,
    touches: ["services.list", "agents"],
    onDone: () => {
      showToast({ text: t.done(service.name) })
      void navigate({ to: "/w/$workspace/catalog", params: { workspace }, replace: true })
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.title(service.name)}
      description={t.what}
      phrase={{ words: service.name, label: t.phrase(service.name) }}
      confirmText={t.act}
      cancelText={acts.cancel}
      onConfirm={() => mayAct && remove.mutate({ params: { name: service.name } })}
      pending={remove.isPending}
      pendingText={acts.asking}
      danger
      error={
        remove.error === null ? undefined : <Problem inline error={remove.error} failed={t.failed} unchanged={t.unchanged} />
      }
    />
  )
}

export const PriceDialog = ({ onClose, operation, service }: DialogProps & { readonly operation: Operation }) => {
  const t = useText(catalogText).setPrice
  const mayAct = useMayAct()
  const [price, setPrice] = useState<PriceDraft>(operation.price)
  const path = `prices.${operation.name}`
  const update = useAct("services.update", {
    workspace: useWorkspaceId(),
    touches: ["services"],
    onDone: () => {
      showToast({ text: t.done })
      onClose()
    }
  })
  const send = (value: Operation["price"] | null) =>
    update.mutate({ params: { name: service.name }, payload: { prices: { [operation.name]: value } } })
  return (
    <FormDialog
      title={t.title(`${service.name}.${operation.name}`)}
      description={t.about}
      pending={update.isPending}
      disabled={!isPrice(price)}
      aside={
        service.shipped && (
          <Button disabled={update.isPending || !mayAct} onClick={() => send(null)}>
            {t.asShipped}
          </Button>
        )
      }
      onClose={onClose}
      onSubmit={(form) => {
        if (isPrice(price) && isReadable(form)) send(price)
      }}
    >
      <PriceField value={price} onChange={setPrice} problem={(name) => fieldProblem(update.error, `${path}.${name}`)} />
      {fieldProblem(update.error, path) !== undefined && (
        <p role="alert" className={styles.wrong}>
          {fieldProblem(update.error, path)}
        </p>
      )}
      {isUnplaced(update.error, [path]) && <Problem inline error={update.error} failed={t.failed} unchanged={t.unchanged} />}
    </FormDialog>
  )
}
