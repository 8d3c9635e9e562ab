/**
 * Edits the payload as a new request: the pending approval is rejected, and a new request passes every check. It
 * approves nothing.
 */
import { isHubError } from "@countersign/hub-client/error"
import { useQueryClient } from "@tanstack/react-query"
import { Suspense, useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { Problem } from "../app/problem.tsx"
import { TextArea } from "../components/fields.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { Tabs } from "../components/tabs.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { approvalText as t } from "../text/approvals.ts"
import { CommentField } from "./comment-field.tsx"
import { takeApproval } from "./decision.ts"
import styles from "./dialogs.module.css"
import type { ApprovalRow } from "./inbox-rows.ts"
import { PayloadFieldEditor } from "./payload-field-editor.tsx"
import { type Payload, readPayload, writtenPayload } from "./payload-text.ts"
import { payloadTexts } from "./words.ts"

const PayloadDiff = lazyPart(() => import("../patterns/payload-diff.tsx"))

export interface EditDialogProps {
  readonly approval: ApprovalRow
  readonly schema: unknown
  readonly onClose: () => void
  /** The request was created; with the id of its approval if one is pending. */
  readonly onFiled: (approval: string | undefined) => void
}

export const EditDialog = ({ approval, onClose, onFiled, schema }: EditDialogProps) => {
  const queries = useQueryClient()
  const start = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<"fields" | "json" | "diff">("fields")
  const [text, setText] = useState(() => writtenPayload(approval.payload as Payload))
  const [comment, setComment] = useState("")
  const read = readPayload(text)
  const payload = "payload" in read ? read.payload : undefined
  const isSame = payload !== undefined && writtenPayload(payload) === writtenPayload(approval.payload as Payload)
  const act = useAct("approvals.edit", {
    workspace: approval.org_id,
    touches: ["approvals.counts"],
    onDone: ({ approval: old, service_request }) => {
      void takeApproval(queries, old)
      showToast({ text: service_request.approval_id === undefined ? t.edit.done : t.edit.doneWaiting })
      onFiled(service_request.approval_id)
    }
  })
  const problem = !("problem" in read)
    ? undefined
    : read.problem === "not_object"
    ? t.edit.notObject
    : t.edit.notJson(read.message)
  const details = isHubError(act.error) ? act.error.details : []
  return (
    <FormDialog
      title={t.edit.title}
      description={t.edit.what(approval.agent.name)}
      width="wide"
      initialFocus={start}
      act={t.edit.submit}
      call={act}
      disabled={payload === undefined || isSame}
      validates
      onClose={onClose}
      onSubmit={() => {
        if (payload === undefined || isSame) return
        act.mutate({
          params: { id: approval.id },
          payload: {
            payload,
            payload_digest: approval.payload_digest,
            ...comment.trim() === "" ? {} : { comment: comment.trim() }
          }
        })
      }}
    >
      <Tabs
        label={t.edit.views}
        tabs={[
          { value: "fields", text: t.edit.fields },
          { value: "json", text: t.edit.json },
          { value: "diff", text: t.edit.diff }
        ]}
        value={view}
        onChange={setView}
      >
        <div ref={start} tabIndex={-1} className={styles.editor}>
          {view === "json" || (view === "fields" && payload === undefined)
            ? (
              <TextArea
                label={t.edit.json}
                labelHidden
                mono
                rows={12}
                value={text}
                onChange={setText}
                error={problem}
              />
            )
            : view === "fields" && payload !== undefined
            ? (
              <PayloadFieldEditor
                payload={payload}
                schema={schema}
                onChange={(next) => setText(writtenPayload(next))}
                onJson={() => setView("json")}
              />
            )
            : payload === undefined
            ? <p className="text-stop">{problem}</p>
            : (
              <Suspense>
                {isSame
                  ? <p>{t.edit.same}</p>
                  : <PayloadDiff before={approval.payload} after={payload} texts={payloadTexts(t)} />}
              </Suspense>
            )}
        </div>
      </Tabs>
      <CommentField value={comment} onChange={setComment} />
      {act.error !== null && (
        <>
          <Problem inline error={act.error} failed={t.edit.failed} unchanged={t.edit.unchanged} />
          {details.length > 0 && (
            <ul className={`type-note text-stop ${styles.details}`}>
              {details.map(({ message, path }) => (
                <li key={path}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </FormDialog>
  )
}

export default EditDialog
