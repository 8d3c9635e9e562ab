/** Confirms disabling and deleting a service, and sets the price of one operation. */
import { useNavigate } from "@tanstack/react-router"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { fieldProblem, isReadable } from "../app/field-problem.ts"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Button } from "../components/button.tsx"
import { showToast } from "../components/toast.tsx"
import type { Operation, Service } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { keysField } from "../patterns/three-way.ts"
import { catalogText } from "../text/catalog.ts"
import { isPrice, type PriceDraft, PriceField, type TokensPrice } from "./price-field.tsx"
import { priceWords } from "./price.ts"

interface DialogProps {
  readonly service: Service
  readonly onClose: () => void
}

export const SwitchOffDialog = ({ onClose, service }: DialogProps) => {
  const t = catalogText.off
  const update = useAct("services.update", {
    workspace: useWorkspaceId(),
    touches: ["services"],
    done: ({ name }) => t.done(name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={update}
      onClose={onClose}
      title={t.title(service.name)}
      description={t.what}
      confirmText={t.act}
      onConfirm={() => update.mutate({ params: { name: service.name }, payload: { enabled: false } })}
      failed={t.failed}
    />
  )
}

export const DeleteServiceDialog = ({ onClose, service }: DialogProps) => {
  const t = catalogText.remove
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
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(service.name)}
      description={t.what}
      phrase={{ words: service.name, label: t.phrase(service.name) }}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { name: service.name } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

/** null: as shipped. */
interface PriceForm {
  readonly price: PriceDraft | TokensPrice | null
}

const isComplete = (price: PriceDraft | TokensPrice): price is Operation["price"] =>
  price.type === "tokens" || isPrice(price)

export const PriceDialog = ({ onClose, operation, service }: DialogProps & { readonly operation: Operation }) => {
  const t = catalogText.setPrice
  const mayAct = useMayAct()
  const priceText = catalogText.price
  const path = `prices.${operation.name}`
  const edit = useEdit({
    endpoint: "services.update",
    loaded: service,
    draftOf: (from: Service): PriceForm => ({
      price: from.operations.find(({ name }) => name === operation.name)?.price ?? operation.price
    }),
    fields: () => [
      keysField<PriceForm>(
        ["price"],
        t.title(operation.name),
        ({ price }) => price === null ? t.asShipped : isComplete(price) ? priceWords(priceText, price) : ""
      )
    ],
    // null removes the workspace's own price.
    input: (_, draft) => ({
      params: { name: service.name },
      payload: {
        prices: { [operation.name]: draft.price === null || isComplete(draft.price) ? draft.price : operation.price }
      }
    }),
    workspace: useWorkspaceId(),
    touches: ["services"],
    done: t.done,
    onDone: onClose
  })
  const { draft: { price }, error } = edit
  return (
    <FormDialog
      title={t.title(`${service.name}.${operation.name}`)}
      description={t.about}
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      places={[path]}
      disabled={price !== null && !isComplete(price)}
      aside={service.shipped && (
        <Button disabled={edit.isPending || !mayAct} onClick={() => edit.save({ price: null })}>
          {t.asShipped}
        </Button>
      )}
      onClose={onClose}
      onSubmit={(form) => {
        if (isReadable(form)) edit.save()
      }}
    >
      <PriceField
        value={price ?? operation.price}
        onChange={(next) => edit.set({ price: next })}
        problem={(name) => fieldProblem(error, `${path}.${name}`)}
      />
      {fieldProblem(error, path) !== undefined && (
        <p role="alert" className="type-note weight-label text-stop">
          {fieldProblem(error, path)}
        </p>
      )}
    </FormDialog>
  )
}
