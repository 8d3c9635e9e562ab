/** A skill that an agent proposes: everything that it would get, and the decision. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { type ReactNode, useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { TextArea } from "../components/fields.tsx"
import { useAct } from "../hub/use-hub.ts"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText as acts } from "../text/acts.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { skillsText } from "../text/skills.ts"
import styles from "./proposal-dialog.module.css"

type Proposal = Row<"skills.listProposals">

export interface ProposalDialogProps {
  readonly agent: Output<"agents.get">
  readonly proposal: Proposal
  readonly mayChange: boolean
  readonly onClose: () => void
}

const commentMax = 1_000

export const ProposalDialog = ({ agent, mayChange, onClose, proposal }: ProposalDialogProps) => {
  const t = skillsText.proposal
  const [comment, setComment] = useState("")
  const [isRejecting, setRejecting] = useState(false)
  const decide = useAct("skills.decideProposal", {
    workspace: useWorkspaceId(),
    touches: ["skills"],
    done: ({ name, status }) => status === "accepted" ? t.accepted(name) : t.rejected(name),
    onDone: onClose
  })
  const send = (status: "accepted" | "rejected") =>
    decide.mutate({
      params: { id: agent.id, pid: proposal.id },
      payload: { status, ...comment.trim() === "" ? {} : { comment: comment.trim() } }
    })
  if (proposal.status !== "proposed" || !mayChange) {
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={proposal.name}
        description={proposal.status === "proposed"
          ? t.who
          : t.decided[proposal.status](proposal.decided_by?.name ?? t.someone)}
        closeText={acts.close}
        width="wide"
      >
        <Content proposal={proposal} />
      </Dialog>
    )
  }
  if (isRejecting) {
    return (
      <ConfirmAct
        call={decide}
        onClose={() => setRejecting(false)}
        title={t.rejectTitle(proposal.name)}
        description={t.rejectWhat}
        confirmText={t.rejectAct}
        onConfirm={() => send("rejected")}
        failed={t.failed}
        unchanged={t.unchanged}
      />
    )
  }
  return (
    <FormDialog
      title={proposal.name}
      description={t.about(agent.name)}
      width="wide"
      act={t.accept}
      call={decide}
      failed={t.failed}
      unchanged={t.unchanged}
      aside={
        <Button variant="danger" disabled={decide.isPending} onClick={() => setRejecting(true)}>{t.reject}</Button>
      }
      onClose={onClose}
      onSubmit={() => send("accepted")}
    >
      <Content proposal={proposal} />
      <TextArea
        label={t.comment}
        aside={t.optional}
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

const Content = ({ proposal: { comment, description, instructions, operations, rationale } }: {
  readonly proposal: Proposal
}) => {
  const t = skillsText.proposal
  const part = (name: string, content: ReactNode) => (
    <section className="grid gap-4">
      <h3 className="type-label text-3">{name}</h3>
      {content}
    </section>
  )
  const text = (words: string) => (
    <p className={`type-body wrap-anywhere ${styles.text}`}>
      <RevealedText text={words} texts={reveal} />
    </p>
  )
  return (
    <div className="grid gap-16">
      {description !== "" && part(t.description, text(description))}
      {rationale !== "" && part(t.rationale, text(rationale))}
      {part(
        t.operations,
        operations.length === 0
          ? <p className="type-body text-2">{t.noOperations}</p>
          : <p className="type-mono wrap-anywhere">{operations.join(", ")}</p>
      )}
      {part(
        t.instructions,
        <div className={`p-12 type-mono wrap-anywhere rounded-control bg-sunken ${styles.text}`}>
          <RevealedText text={instructions} texts={reveal} />
        </div>
      )}
      {comment !== undefined && part(t.comment, text(comment))}
    </div>
  )
}
