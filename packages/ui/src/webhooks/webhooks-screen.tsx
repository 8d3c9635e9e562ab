/** The webhook endpoints of the workspace, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { Link } from "../app/link.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type WebhookEndpoint, webhookPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { SettingsFrame } from "../settings/settings-frame.tsx"
import { type ShownSecret, SigningSecretDialog } from "../signing-secrets/signing-secret.tsx"
import { Phrase } from "../text/catalogue.ts"
import { settingsText } from "../text/settings.ts"
import { webhooksText as t } from "../text/webhooks.ts"
import { EndpointState } from "./endpoint-state.tsx"
import { CreateWebhookDialog } from "./webhook-form.tsx"
import { eventsText } from "./webhook-types.ts"

export const WebhooksScreen = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayManage = useCan()("workspace:write")
  const mayAct = useMayAct()
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<ShownSecret & { readonly id: string }>()
  const pages = useInfiniteQuery({ ...webhookPages(workspace), enabled: mayManage })
  const rows = rowsOf(pages.data)
  const place = (id: string) => ({ to: "/w/$workspace/settings/webhooks/$id", params: { workspace, id } }) as const
  useCommands(mayManage ? [{ id: "webhooks.new", text: t.create.title, run: () => setCreating(true) }] : [])
  const createButton = (
    <Button variant="primary" icon={<Plus />} disabled={!mayAct} onClick={() => setCreating(true)}>
      {t.create.act}
    </Button>
  )
  return (
    <SettingsFrame section="webhooks" lead={t.lead} busy={pages.isFetching} action={mayManage && createButton}>
      {mayManage
        ? (
          <ScreenState query={pages}>
            {rows.length === 0 ? <EmptyState action={createButton}>{t.empty}</EmptyState> : (
              <Panel flush>
                <RowList
                  label={t.title}
                  rows={rows.map((endpoint) => ({
                    key: endpoint.id,
                    title: <Link quiet className="wrap-anywhere" {...place(endpoint.id)}>{endpoint.url}</Link>,
                    detail: <EndpointFacts endpoint={endpoint} />,
                    acts: <EndpointState endpoint={endpoint} />
                  }))}
                />
              </Panel>
            )}
            <MoreButton pages={pages}>{settingsText.more}</MoreButton>
          </ScreenState>
        )
        : <p className="type-body text-2">{t.noRight}</p>}
      {isCreating && (
        <CreateWebhookDialog
          onClose={() => setCreating(false)}
          onMade={({ id, secret, url }) => {
            setCreating(false)
            setMade({ id, name: url, secret })
          }}
        />
      )}
      {made !== undefined && (
        <SigningSecretDialog
          secret={made}
          texts={t.secret}
          onKept={() => void navigate(place(made.id))}
        />
      )}
    </SettingsFrame>
  )
}

const EndpointFacts = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => (
  <>
    {endpoint.description !== "" && <span>{endpoint.description}</span>}
    <span>{eventsText(endpoint.types)}</span>
    {endpoint.failing_since !== undefined && (
      <span>
        <Phrase text={t.failingSince} time={<RelativeTime at={endpoint.failing_since} now={hubClock.now} />} />
      </span>
    )}
  </>
)
