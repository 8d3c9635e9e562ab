/** Moves a person's own views up and down, by pointer or by keyboard. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ArrowDown, ArrowUp } from "lucide-react"
import { useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { viewsText } from "../text/views.ts"
import type { View } from "./view-dialogs.tsx"
import styles from "./view-order.module.css"
import { moved, newPositions } from "./view-positions.ts"

export interface ViewOrderProps {
  readonly views: ReadonlyArray<View>
  readonly workspace: string
  readonly onClose: () => void
}

export const ViewOrder = ({ onClose, views, workspace }: ViewOrderProps) => {
  const t = viewsText.order
  const queries = useQueryClient()
  const [order, setOrder] = useState(views)
  const [announcement, setAnnouncement] = useState("")
  const list = useRef<HTMLOListElement>(null)
  const save = useMutation({
    mutationFn: async () => {
      for (const { id, position } of newPositions(order)) {
        await hubOf(queries).call("views.update", { params: { id }, payload: { position } }, { workspace })
      }
    },
    onSuccess: onClose,
    onSettled: () => touch(queries, workspace, ["views"])
  })
  const move = (from: number, to: number) => {
    const view = order[from]
    if (view === undefined) return
    setOrder(moved(order, from, to))
    setAnnouncement(t.moved(view.name, to + 1, order.length))
    // The focus follows the view; at an end of the list the view's other button takes it.
    requestAnimationFrame(() => {
      const buttons = list.current?.querySelectorAll<HTMLButtonElement>(`[data-view="${view.id}"] button`)
      const [up, down] = [buttons?.[0], buttons?.[1]]
      const wanted = to < from ? up : down
      if (wanted?.disabled === true) (wanted === up ? down : up)?.focus()
      else wanted?.focus()
    })
  }
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      call={save}
      failed={t.failed}
      disabled={newPositions(order).length === 0}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <ol ref={list} className={`grid ${styles.order}`} aria-label={t.list}>
        {order.map((view, at) => (
          <li key={view.id} data-view={view.id} className={`flex items-center gap-4 border-b type-body ${styles.view}`}>
            <span className="flex-1 min-w-0 wrap-anywhere">{view.name}</span>
            <IconButton
              label={t.up(view.name)}
              icon={<ArrowUp />}
              disabled={at === 0}
              onClick={() =>
                move(at, at - 1)}
            />
            <IconButton
              label={t.down(view.name)}
              icon={<ArrowDown />}
              disabled={at === order.length - 1}
              onClick={() =>
                move(at, at + 1)}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">{announcement}</p>
    </FormDialog>
  )
}
