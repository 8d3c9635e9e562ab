/** One file: its preview, its facts, and what can be done with it. */
import { useRef } from "react"
import { useWorkspaceId } from "../app/session.ts"
import { Button, ButtonLink } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { ObjectRow } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { actText as acts } from "../text/acts.ts"
import { storageText as t } from "../text/storage.ts"
import { objectHref, ObjectPreview } from "./object-preview.tsx"
import { nameOf, restorableUntil, sizeText } from "./storage-words.ts"

export type ObjectAct = "rename" | "metadata" | "remove" | "restore"

export interface ObjectDialogProps {
  readonly object: ObjectRow
  readonly mayWrite: boolean
  readonly onAct: (act: ObjectAct) => void
  readonly onClose: () => void
}

export const ObjectDialog = ({ mayWrite, object, onAct, onClose }: ObjectDialogProps) => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const download = useRef<HTMLAnchorElement>(null)
  const isLive = object.status === "live"
  const time = (at: string) => <RelativeTime at={at} now={hubClock.now} />
  const entries = Object.entries(object.metadata)
  return (
    <Dialog
      open
      width="wide"
      onOpenChange={(open) => !open && onClose()}
      closeText={acts.close}
      title={nameOf(object.key)}
      {...isLive ? { initialFocus: download } : {}}
      footer={isLive
        ? (
          <>
            {mayWrite && (
              <>
                <Button variant="danger" disabled={!mayAct} onClick={() => onAct("remove")}>{t.remove}</Button>
                <Button disabled={!mayAct} onClick={() => onAct("metadata")}>{t.editMetadata}</Button>
                <Button disabled={!mayAct} onClick={() => onAct("rename")}>{t.rename}</Button>
              </>
            )}
            <ButtonLink ref={download} variant="primary" href={objectHref(workspace, object.id, "attachment")} download>
              {t.download}
            </ButtonLink>
          </>
        )
        : mayWrite && object.status === "deleted" && (
          <Button
            variant="primary"
            disabled={!mayAct}
            onClick={() => onAct("restore")}
          >
            {t.restore}
          </Button>
        )}
    >
      <div className="grid grid-cols-1 gap-16">
        {isLive && (
          <section aria-label={t.preview.title}>
            <ObjectPreview key={object.id} object={object} workspace={workspace} />
          </section>
        )}
        <KeyValueList
          items={[
            {
              key: "key",
              name: t.detail.key,
              value: (
                <span className="flex flex-wrap items-center gap-8">
                  <span className="type-mono wrap-anywhere">{object.key}</span>
                  <CopyButton value={object.key} texts={{ ...acts.copying, copy: t.copyKey }} iconOnly />
                </span>
              )
            },
            { key: "type", name: t.detail.type, value: object.content_type },
            {
              key: "size",
              name: t.detail.size,
              value: object.size_bytes < 1_000
                ? t.exactly(object.size_bytes)
                : `${sizeText(object.size_bytes)} (${t.exactly(object.size_bytes)})`
            },
            { key: "added", name: t.detail.added, value: time(object.created_at) },
            ...object.deleted_at === undefined ? [] : [
              { key: "deleted", name: t.detail.deleted, value: time(object.deleted_at) },
              { key: "until", name: t.detail.until, value: time(restorableUntil(object.deleted_at)) }
            ],
            ...object.sha256 === undefined ? [] : [{
              key: "sha256",
              name: t.detail.sha256,
              value: <span className="type-mono wrap-anywhere">{object.sha256}</span>
            }],
            { key: "id", name: t.detail.id, value: <span className="type-mono wrap-anywhere">{object.id}</span> },
            {
              key: "metadata",
              name: t.detail.metadata,
              value: entries.length === 0
                ? <span className="text-3">{t.detail.noMetadata}</span>
                : (
                  <ul className="grid gap-4">
                    {entries.map(([name, value]) => (
                      <li key={name} className="wrap-anywhere">
                        <span className="type-mono text-2">{name}</span> {value}
                      </li>
                    ))}
                  </ul>
                )
            }
          ]}
        />
      </div>
    </Dialog>
  )
}
