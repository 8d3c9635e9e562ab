/** One app: its account, its permissions, the agents that it is available to, and the services that use it. */
import { useRef } from "react"
import { Link } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { AppRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { appsText as t } from "../text/apps.ts"
import { lookOf } from "./app-words.ts"
import { goToSignIn } from "./sign-in.ts"

export const AppState = ({ status }: { readonly status: AppRow["status"] }) => (
  <Badge tone={lookOf[status].tone} glyph={<StatusGlyph look={lookOf[status].look} />}>{t.states[status]}</Badge>
)

export interface AppDialogProps {
  readonly app: AppRow
  readonly provider: string
  readonly who: string
  readonly uses: ReadonlyArray<string>
  readonly mayChange: boolean
  readonly maySignIn: boolean
  readonly onDisconnect: () => void
  readonly onClose: () => void
}

export const AppDialog = (
  { app, maySignIn, mayChange, onClose, onDisconnect, provider, uses, who }: AppDialogProps
) => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const button = useRef<HTMLButtonElement>(null)
  const signIn = useAct("apps.reconnect", {
    workspace,
    onDone: ({ authorize_url }) => goToSignIn(authorize_url)
  })
  const time = (at: string | undefined, none: string) =>
    at === undefined ? <span className="text-3">{none}</span> : <RelativeTime at={at} now={hubClock.now} />
  const isConnected = app.status === "connected"
  return (
    <Dialog
      open
      held={signIn.isPending}
      onOpenChange={(open) => !open && onClose()}
      closeText={acts.close}
      title={app.name}
      {...maySignIn ? { initialFocus: button } : {}}
      footer={
        <>
          {mayChange && isConnected && (
            <Button variant="danger" disabled={!mayAct} onClick={onDisconnect}>{t.disconnect}</Button>
          )}
          {maySignIn && (
            <Button
              ref={button}
              variant={isConnected ? "quiet" : "primary"}
              pending={signIn.isPending}
              pendingText={acts.asking}
              disabled={!mayAct}
              onClick={() => signIn.mutate({ params: { id: app.id } })}
            >
              {t.signIn}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-16">
        <div className="flex flex-wrap items-center gap-8">
          <AppState status={app.status} />
          {app.note !== undefined && <span className="type-note text-2">{app.note}</span>}
        </div>
        <KeyValueList
          items={[
            { key: "provider", name: t.detail.provider, value: provider },
            {
              key: "account",
              name: t.detail.account,
              value: app.account ?? <span className="text-3">{t.detail.unknown}</span>
            },
            {
              key: "may",
              name: t.columns.may,
              value: app.scopes.length === 0
                ? t.providerDefault
                : <span className="type-mono">{app.scopes.join(" ")}</span>
            },
            { key: "who", name: t.columns.who, value: who },
            {
              key: "used",
              name: t.columns.used,
              value: uses.length === 0
                ? <span className="text-3">{t.unused}</span>
                : (
                  <span className="inline-flex flex-wrap gap-8">
                    {uses.map((service) => (
                      <Link key={service} to="/w/$workspace/catalog/$service" params={{ workspace, service }}>
                        {service}
                      </Link>
                    ))}
                  </span>
                )
            },
            { key: "last", name: t.columns.last, value: time(app.last_used_at, t.never) },
            { key: "created", name: t.detail.created, value: time(app.created_at, t.never) }
          ]}
        />
        {signIn.error !== null && (
          <Problem inline error={signIn.error} failed={t.signingIn.failed} unchanged={t.signingIn.unchanged} />
        )}
      </div>
    </Dialog>
  )
}
