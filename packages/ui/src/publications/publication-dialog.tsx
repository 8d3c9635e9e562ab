/** A publication with the fields that a listing shows. */
import { useWorkspace } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { Publication } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { actText as acts } from "../text/acts.ts"
import { publicationsText } from "../text/publications.ts"
import { AudienceCell } from "./audience.tsx"
import { ListingPreview } from "./listing-preview.tsx"

export interface PublicationDialogProps {
  readonly publication: Publication
  readonly audience: string
  readonly onClose: () => void
  readonly onRevoke: (() => void) | undefined
}

export const PublicationDialog = ({ audience, onClose, onRevoke, publication }: PublicationDialogProps) => {
  const t = publicationsText.published
  const mayAct = useMayAct()
  const { name: publisher } = useWorkspace()
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={publication.name}
      description={publicationsText.fixed}
      closeText={acts.close}
      footer={onRevoke !== undefined && (
        <Button variant="danger" disabled={!mayAct} onClick={onRevoke}>{t.revoke.item}</Button>
      )}
    >
      <div className="grid gap-16">
        <ListingPreview listing={{ ...publication, kind: publication.subject.type, publisher }} />
        <KeyValueList
          items={[
            {
              key: "audience",
              name: t.columns.audience,
              value: <AudienceCell audience={publication} name={audience} />
            },
            { key: "publisher", name: t.columns.publisher, value: publication.published_by.name },
            {
              key: "since",
              name: t.columns.since,
              value: <RelativeTime at={publication.published_at} now={hubClock.now} />
            },
            ...publication.revoked_at === undefined ? [] : [{
              key: "revoked",
              name: t.revokedAt,
              value: <RelativeTime at={publication.revoked_at} now={hubClock.now} />
            }]
          ]}
        />
      </div>
    </Dialog>
  )
}
