/** Saves, renames, shares, and deletes a view. */
import type { Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useMe } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { viewChoices } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { viewsText as texts } from "../text/views.ts"
import { ViewOrder } from "./view-order.tsx"

export type View = Row<"views.list">

const nameMax = 80

export type ViewAct =
  | { readonly kind: "create"; readonly screen: View["screen"]; readonly query: string }
  | { readonly kind: "edit"; readonly view: View }
  | { readonly kind: "remove"; readonly view: View }
  /** The person's own views of one screen, in order. */
  | { readonly kind: "order"; readonly views: ReadonlyArray<View> }

export interface ViewDialogProps {
  readonly act: ViewAct
  readonly workspace: string
  readonly onClose: () => void
}

const ViewForm = (
  { act, onClose, workspace }: ViewDialogProps & {
    readonly act: Extract<ViewAct, { readonly kind: "create" | "edit" }>
  }
) => {
  const t = texts.dialog
  const [name, setName] = useState(act.kind === "edit" ? act.view.name : "")
  const [shared, setShared] = useState(act.kind === "edit" && act.view.shared)
  const onDone = (view: { readonly name: string }) => {
    showToast({ text: texts.saved(view.name) })
    onClose()
  }
  const create = useAct("views.create", { workspace, touches: ["views"], onDone })
  const update = useAct("views.update", { workspace, touches: ["views"], onDone })
  const call = act.kind === "create" ? create : update
  const trimmed = name.trim()
  const me = useMe().user.id
  const maker = act.kind === "edit" ? act.view.created_by : undefined
  const views = useQuery(viewChoices(workspace)).data
  // The list contains the saved view before its call ends.
  const isTaken = !call.isPending && views !== undefined &&
    views.some((view) =>
      view.screen === (act.kind === "edit" ? act.view.screen : act.screen) &&
      view.created_by.id === (maker?.id ?? me) &&
      (act.kind === "create" || view.id !== act.view.id) &&
      view.name.toLowerCase() === trimmed.toLowerCase()
    )
  const nameProblem = isTaken
    ? maker === undefined || maker.id === me ? t.taken : t.takenOf(maker.name)
    : undefined
  return (
    <FormDialog
      title={act.kind === "create" ? t.create : t.edit}
      description={act.kind === "create" ? t.createAbout : undefined}
      call={call}
      failed={t.failed}
      disabled={trimmed === "" || isTaken}
      onClose={onClose}
      onSubmit={() =>
        act.kind === "create"
          ? create.mutate({ payload: { screen: act.screen, query: act.query, name: trimmed, shared } })
          : update.mutate({ params: { id: act.view.id }, payload: { name: trimmed, shared } })}
    >
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        path="name"
        error={nameProblem}
        maxLength={nameMax}
        required
        autoFocus
      />
      <Checkbox label={t.share} description={t.shareAbout} checked={shared} onChange={setShared} />
    </FormDialog>
  )
}

const ViewRemoval = (
  { onClose, view, workspace }: { readonly view: View; readonly workspace: string; readonly onClose: () => void }
) => {
  const t = texts.removal
  const remove = useAct("views.remove", { workspace, touches: ["views"], onDone: onClose })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(view.name)}
      description={view.shared ? t.shared : t.own}
      confirmText={t.confirm}
      cancelText={t.cancel}
      failed={t.failed}
      onConfirm={() => remove.mutate({ params: { id: view.id } })}
    />
  )
}

const ViewDialog = ({ act, ...rest }: ViewDialogProps) =>
  act.kind === "remove"
    ? <ViewRemoval view={act.view} {...rest} />
    : act.kind === "order"
    ? <ViewOrder views={act.views} {...rest} />
    : <ViewForm act={act} {...rest} />

export default ViewDialog
