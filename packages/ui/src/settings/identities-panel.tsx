/** The person's identities at the provider of single sign-on: link, unlink. Hidden on hubs without a provider. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { identitiesQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RowList } from "../patterns/row-list.tsx"
import { Phrase } from "../text/catalogue.ts"
import { securityText } from "../text/security.ts"
import { signInText } from "../text/sign-in.ts"
import { Moment } from "./moment.tsx"

type Identity = Output<"oidc.identities">["data"][number]

export const IdentitiesPanel = () => {
  const t = securityText.identities
  const list = useQuery(identitiesQuery).data
  const { error } = useSearch({ strict: false }) as { readonly error?: string }
  const mayAct = useMayAct()
  const [removed, setRemoved] = useState<Identity>()
  const link = useAct("oidc.link", { workspace: null, onDone: ({ location: to }) => location.assign(to) })
  // The provider returns to the session that asked, which the desktop app keeps from browsers.
  const canLink = list?.can_link === true && location.protocol !== "app:"
  if (list === undefined || (list.data.length === 0 && !canLink)) return null
  const start = () => link.mutate({ payload: { to: location.pathname } })
  const add = canLink && (
    <Button size="small" disabled={!mayAct} pending={link.isPending} onClick={start}>{t.link}</Button>
  )
  return (
    <Panel title={t.title} flush actions={add}>
      {error !== undefined && (
        <p className="px-16 pt-12 type-body weight-label text-stop" role="alert">
          {signInText.failures[error] ?? signInText.failure}
        </p>
      )}
      {link.error !== null && <Problem inline error={link.error} failed={t.linkFailed} />}
      <RowList
        label={t.title}
        rows={list.data.map((identity) => ({
          key: identity.id,
          title: identity.email ?? identity.subject,
          detail: (
            <>
              <span className="wrap-anywhere">{identity.issuer}</span>
              <span>
                <Phrase text={t.linked} time={<Moment at={identity.created_at} />} />
              </span>
              <span>
                <Phrase text={t.used} time={<Moment at={identity.last_sign_in_at} />} />
              </span>
            </>
          ),
          acts: (
            <Button size="small" variant="danger" disabled={!mayAct} onClick={() => setRemoved(identity)}>
              {t.unlink}
            </Button>
          )
        }))}
      />
      {list.data.length === 0 && <p className="px-16 py-12 type-body text-2">{t.none}</p>}
      {removed !== undefined && <Unlink identity={removed} onClose={() => setRemoved(undefined)} />}
    </Panel>
  )
}

const Unlink = ({ identity, onClose }: { readonly identity: Identity; readonly onClose: () => void }) => {
  const t = securityText.identities
  const unlink = useAct("oidc.unlink", {
    workspace: null,
    touches: ["oidc.identities"],
    done: t.unlinked,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={unlink}
      onClose={onClose}
      title={t.unlinkTitle}
      description={t.unlinkWhat}
      confirmText={t.unlink}
      onConfirm={() => unlink.mutate({ params: { id: identity.id } })}
      failed={t.unlinkFailed}
      unchanged={t.unchanged}
    />
  )
}
