/** One document: its text, opened at a passage, and why it failed. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type DocumentRow, passagePages } from "../hub/queries.ts"
import { pageRows, rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { sizeText } from "../storage/storage-words.ts"
import { actText as acts } from "../text/acts.ts"
import { knowledgeText as t } from "../text/knowledge.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./knowledge-screen.module.css"
import { documentLook, failureWords, withoutOverlap } from "./knowledge-words.ts"

/** Passages that are shown before the one that was found. */
const before = 2

export interface DocumentDialogProps {
  readonly document: DocumentRow
  /** The passage to show; the first by default. */
  readonly at: number | undefined
  readonly mayWrite: boolean
  readonly onRemove: () => void
  readonly onClose: () => void
}

export const DocumentDialog = ({ at, document, mayWrite, onClose, onRemove }: DocumentDialogProps) => {
  const { chunks, content_type, created_at, id, pages, size_bytes, status, title } = document
  const mayAct = useMayAct()
  const retry = useAct("knowledge.retryDocument", {
    workspace: useWorkspaceId(),
    touches: ["knowledge.listDocuments", "knowledge.getDocument"],
    done: t.retrying.done
  })
  const facts = [
    t.documents.types[content_type],
    sizeText(size_bytes),
    ...pages === undefined ? [] : [t.documents.pages(pages)],
    ...status === "ready" ? [t.documents.passages(chunks)] : [documentLook(document).text]
  ]
  return (
    <Dialog
      open
      width="wide"
      held={retry.isPending}
      onOpenChange={(open) => !open && onClose()}
      closeText={acts.close}
      title={title}
      footer={mayWrite && (
        <>
          <Button variant="danger" disabled={!mayAct} onClick={onRemove}>{t.documents.remove}</Button>
          {status === "failed" && (
            <Button
              variant="primary"
              disabled={!mayAct}
              pending={retry.isPending}
              pendingText={acts.asking}
              onClick={() => retry.mutate({ params: { id: document.collection_id, docId: id } })}
            >
              {t.documents.retry}
            </Button>
          )}
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-12">
        <p className="flex flex-wrap gap-x-12 type-note text-2">
          {facts.map((fact) => <span key={fact}>{fact}</span>)}
          <RelativeTime at={created_at} now={hubClock.now} />
        </p>
        {status === "failed" && <p className="type-body">{failureWords(document)}</p>}
        {retry.error !== null && <Problem inline error={retry.error} failed={t.retrying.failed} />}
        {status === "ready"
          ? <Text document={document} at={at} />
          : status !== "failed" && <p className="type-body text-2" role="status">{t.document.reading}</p>}
      </div>
    </Dialog>
  )
}

const Text = ({ at, document }: { readonly document: DocumentRow; readonly at: number | undefined }) => {
  const workspace = useWorkspaceId()
  const [first, setFirst] = useState(Math.max(0, (at ?? 0) - before))
  const pages = useInfiniteQuery(passagePages(workspace, document.collection_id, document.id, first))
  const passages = rowsOf(pages.data)
  const texts = withoutOverlap(passages, at)
  const show = useCallback((mark: HTMLElement | null) => mark?.scrollIntoView({ block: "center" }), [])
  return (
    <ScreenState query={pages}>
      <div
        className={`grid gap-8 bg-sunken rounded-control p-16 ${styles.text}`}
        role="region"
        aria-label={t.document.text(document.title)}
        tabIndex={0}
      >
        {first > 0 && (
          <div>
            <Button size="small" onClick={() => setFirst(Math.max(0, first - pageRows))}>{t.document.earlier}</Button>
          </div>
        )}
        {passages.map(({ headings, position }, index) => {
          const { headings: above, position: { page: last } } = passages[index - 1] ??
            { headings: [] as ReadonlyArray<string>, position: { page: undefined } }
          const heading = headings.join(" › ")
          const text = texts[index]?.trim() ?? ""
          return (
            <div key={position.chunk} className="grid gap-8">
              {position.page !== undefined && position.page !== last && (
                <p className="type-note text-3">{t.ask.page(position.page)}</p>
              )}
              {heading !== "" && heading !== above.join(" › ") && <h3 className="type-label text-2">{heading}</h3>}
              {text !== "" && (position.chunk === at
                ? (
                  <mark ref={show} className={`type-body ${styles.mark}`} aria-label={t.document.passage}>
                    <RevealedText text={text} texts={reveal} />
                  </mark>
                )
                : (
                  <div className="type-body">
                    <RevealedText text={text} texts={reveal} />
                  </div>
                ))}
            </div>
          )
        })}
        {pages.hasNextPage && (
          <div>
            <MoreButton pages={pages}>{t.document.later}</MoreButton>
          </div>
        )}
      </div>
    </ScreenState>
  )
}

export const RemoveDocumentDialog = ({ document, onClose, onDone }: {
  readonly document: DocumentRow
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const words = t.removingDocument
  const remove = useAct("knowledge.removeDocument", {
    workspace: useWorkspaceId(),
    touches: ["knowledge.listDocuments", "knowledge.getCollection", "knowledge.query"],
    done: words.done(document.title),
    onDone: () => {
      onDone()
      onClose()
    }
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={words.title(document.title)}
      description={words.about}
      confirmText={words.act}
      onConfirm={() => remove.mutate({ params: { id: document.collection_id, docId: document.id } })}
      failed={words.failed}
      unchanged={words.unchanged}
    />
  )
}
