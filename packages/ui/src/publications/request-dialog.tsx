/** A publish request with everything that becomes visible, and its decision. */
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useCan, useMe, useWorkspace } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { TextArea } from "../components/fields.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { PublishRequest } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { publicationsText } from "../text/publications.ts"
import { AudienceCell } from "./audience.tsx"
import { ListingPreview } from "./listing-preview.tsx"

export interface RequestDialogProps {
  readonly workspace: string
  readonly request: PublishRequest
  readonly audience: string
  /** Whether another person can review; undefined until it is known. */
  readonly hasOther: boolean | undefined
  readonly onClose: () => void
}

const commentMax = 1_000
export const RequestDialog = ({ audience, hasOther, onClose, request, workspace }: RequestDialogProps) => {
  const t = publicationsText.review
  const { user } = useMe()
  const mayReview = useCan()("publish:review")
  const mayAct = useMayAct()
  const isOwn = request.requested_by.id === user.id
  const [comment, setComment] = useState("")
  const [refusing, setRefusing] = useState<"rejected" | "withdrawn">()
  const decide = useAct("publishing.decide", {
    workspace,
    touches: ["publishing", "audit"],
    done: ({ name, status }) => status === "pending" ? "" : t.done[status](name),
    onDone: onClose
  })
  const send = (status: "approved" | "rejected" | "withdrawn") =>
    decide.mutate({
      params: { id: request.id },
      payload: { status, ...comment.trim() === "" ? {} : { comment: comment.trim() } }
    })
  if (refusing !== undefined) {
    return (
      <ConfirmAct
        call={decide}
        onClose={() => {
          decide.reset()
          setRefusing(undefined)
        }}
        title={t[refusing].title(request.name)}
        description={t[refusing].what}
        confirmText={t[refusing].act}
        onConfirm={() => send(refusing)}
        failed={t[refusing].failed}
        unchanged={t.unchanged}
      />
    )
  }
  const isPending = request.status === "pending"
  const mayApprove = mayReview && (!isOwn || hasOther === false)
  const refuse = isOwn ? "withdrawn" : "rejected"
  const refuseButton = (
    <Button
      variant="danger"
      disabled={!mayAct || decide.isPending}
      onClick={() => setRefusing(refuse)}
    >
      {t[refuse].item}
    </Button>
  )
  if (!isPending || !mayApprove) {
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={t.of(request.name)}
        description={!isPending ? publicationsText.fixed : mayReview ? t.needsOther : t.needsReviewer}
        closeText={acts.close}
        width="wide"
        footer={isPending && isOwn && refuseButton}
      >
        <Content request={request} audience={audience} />
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={t.of(request.name)}
      description={publicationsText.becomes(request)}
      width="wide"
      act={t.approve}
      call={decide}
      failed={t.failed}
      unchanged={t.unchanged}
      aside={refuseButton}
      onClose={onClose}
      onSubmit={() => send("approved")}
    >
      <Content request={request} audience={audience} />
      <TextArea
        label={t.comment}
        aside={publicationsText.optional}
        description={t.commentAbout}
        value={comment}
        onChange={setComment}
        maxLength={commentMax}
        rows={2}
        path="comment"
      />
    </FormDialog>
  )
}

const Content = ({ audience, request }: Pick<RequestDialogProps, "audience" | "request">) => {
  const t = publicationsText.review
  const { name: publisher } = useWorkspace()
  const text = (words: string) => <RevealedText text={words} texts={reveal} />
  return (
    <div className="grid gap-16">
      <ListingPreview listing={{ ...request, kind: request.subject.type, publisher }} />
      <KeyValueList
        items={[
          {
            key: "status",
            name: t.columns.status,
            value: <StatusBadge status={request.status}>{t.statuses[request.status]}</StatusBadge>
          },
          { key: "audience", name: t.columns.audience, value: <AudienceCell audience={request} name={audience} /> },
          { key: "by", name: t.columns.by, value: request.requested_by.name },
          {
            key: "created",
            name: t.columns.created,
            value: <RelativeTime at={request.created_at} now={hubClock.now} />
          },
          ...request.note === undefined ? [] : [{ key: "note", name: t.note, value: text(request.note) }],
          ...request.decided_by === undefined
            ? []
            : [{ key: "decided", name: t.decidedBy, value: request.decided_by.name }],
          ...request.comment === undefined ? [] : [{ key: "comment", name: t.comment, value: text(request.comment) }]
        ]}
      />
    </div>
  )
}
