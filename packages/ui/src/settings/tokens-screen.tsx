/** Personal access tokens of this workspace: create (shown once), enable, disable, and revoke. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useCloseTwice } from "../app/close-twice.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { Panel } from "../components/panel.tsx"
import { Switch } from "../components/switch.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { tokenPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct, useHub } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { CommandBlock } from "../setup/command-block.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { Moment } from "./moment.tsx"
import { SettingsFrame } from "./settings-frame.tsx"
import { TokenDialog } from "./token-dialog.tsx"

type Token = Row<"tokens.list">

export const TokensScreen = () => {
  const { more, names, tokens: t } = settingsText
  const workspace = useWorkspaceId()
  const mayMake = useCan()("tokens:write")
  const [isMaking, setMaking] = useState(false)
  const mayAct = useMayAct()
  const [minted, setMinted] = useState<Output<"tokens.create">>()
  const [revoking, setRevoking] = useState<Token>()
  const pages = useInfiniteQuery(tokenPages(workspace))
  const rows = rowsOf(pages.data)
  const toggle = useAct("tokens.update", { workspace, touches: ["tokens"] })
  const make = mayMake && (
    <Button variant="primary" size="small" disabled={!mayAct} onClick={() => setMaking(true)}>{t.make}</Button>
  )
  return (
    <SettingsFrame section="tokens" lead={t.what} busy={pages.isFetching} action={make}>
      {!mayMake && <p className="type-body text-2">{t.noRight}</p>}
      <ScreenState query={pages}>
        {rows.length === 0
          ? (
            <EmptyState
              action={mayMake && <Button disabled={!mayAct} onClick={() => setMaking(true)}>{t.make}</Button>}
            >
              {t.empty}
            </EmptyState>
          )
          : (
            <Panel flush>
              <RowList
                label={names.tokens}
                rows={rows.map((token) => ({
                  key: token.id,
                  title: token.name,
                  detail: <TokenFacts token={token} />,
                  acts: mayMake && (
                    <>
                      {token.kind === "personal" && (
                        <Switch
                          label={t.toggle(token.name)}
                          labelHidden
                          checked={token.enabled}
                          disabled={!mayAct}
                          pending={toggle.isPending && toggle.variables.params.id === token.id}
                          onChange={(enabled) => toggle.mutate({ params: { id: token.id }, payload: { enabled } })}
                        />
                      )}
                      <Button
                        size="small"
                        variant="danger"
                        disabled={!mayAct}
                        aria-label={t.revokeOf(token.name)}
                        onClick={() => setRevoking(token)}
                      >
                        {t.revoke}
                      </Button>
                    </>
                  )
                }))}
              />
            </Panel>
          )}
        {toggle.error !== null && (
          <Problem inline error={toggle.error} failed={t.toggleFailed} unchanged={t.unchanged} />
        )}
        <MoreButton pages={pages}>{more}</MoreButton>
      </ScreenState>
      {isMaking && (
        <TokenDialog
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setMinted(made)
          }}
        />
      )}
      {minted !== undefined && <MintedToken token={minted} onClose={() => setMinted(undefined)} />}
      {revoking !== undefined && <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />}
    </SettingsFrame>
  )
}

const TokenFacts = ({ token }: { readonly token: Token }) => {
  const { tokens: t } = settingsText
  const isOver = Date.parse(token.expires_at) <= hubClock.now()
  const used = token.last_used_at === undefined
    ? t.unused
    : (
      <Phrase
        text={token.last_used_ip === undefined ? t.used : t.usedFrom}
        time={<Moment at={token.last_used_at} />}
        address={token.last_used_ip}
      />
    )
  return (
    <>
      {token.kind === "oauth"
        ? <span>{t.signIn(token.agent?.name ?? "")}</span>
        : (
          <>
            <code>{token.hint}</code>
            <span>{token.enabled ? t.on : t.off}</span>
            <span title={token.scopes.join(" ")}>{t.scopeCount(token.scopes.length)}</span>
          </>
        )}
      <span>{used}</span>
      <span>
        <Phrase text={isOver ? t.ended : t.ends} time={<Moment at={token.expires_at} />} />
      </span>
    </>
  )
}

const RevokeDialog = ({ onClose, token }: { readonly token: Token; readonly onClose: () => void }) => {
  const { tokens: t } = settingsText
  const workspace = useWorkspaceId()
  const revoke = useAct("tokens.revoke", {
    workspace,
    touches: ["tokens"],
    done: t.revoked(token.name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={revoke}
      onClose={onClose}
      title={t.revokeTitle(token.name)}
      description={t.revokeWhat}
      confirmText={t.revoke}
      onConfirm={() => revoke.mutate({ params: { id: token.id } })}
      failed={t.revokeFailed}
      unchanged={t.unchanged}
    />
  )
}

/** Every token can call this, whatever its scopes. */
const tryCommand = (url: string, token: string): string => `curl -s '${url}' -H 'authorization: Bearer ${token}'`

/** A new token, shown once. The first attempt to close it without copying warns; the second closes it. */
const MintedToken = (
  { onClose, token }: { readonly token: Output<"tokens.create">; readonly onClose: () => void }
) => {
  const { tokens: t } = settingsText
  const url = new URL(useHub().downloadUrl("workspaces.list", {}), location.href).href
  const { isWarned, close } = useCloseTwice(onClose)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t.mintedTitle}
      description={t.minted}
      closeText={acts.close}
      footer={<Button variant="primary" onClick={onClose}>{t.kept}</Button>}
    >
      <div className={styles.form}>
        <CommandBlock label={t.tokenLabel} command={token.token} copyText={t.copy} />
        {isWarned && <p role="alert">{t.closeWarning}</p>}
        <p className="type-body text-2">{t.tryLabel}</p>
        <CommandBlock label={t.tryLabel} command={tryCommand(url, token.token)} copyText={t.tryCopy} />
      </div>
    </Dialog>
  )
}
