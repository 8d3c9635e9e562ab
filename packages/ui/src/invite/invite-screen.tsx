/** An invite as its recipient sees it: a new person creates an account, another one signs in, and both join. */
import type { Input, Output } from "@countersign/hub-client/contract"
import { isHubError } from "@countersign/hub-client/error"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useConsole } from "../app/console-context.ts"
import { Form, FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { Gate } from "../app/gate.tsx"
import { forgetLinkToken, linkToken, onLinkToken } from "../app/link-token.ts"
import { ButtonLink } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { inviteQuery, meQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { Moment } from "../settings/moment.tsx"
import { NewPasswordField } from "../setup/new-password-field.tsx"
import { judgePassword } from "../setup/password-rules.ts"
import { Phrase } from "../text/catalogue.ts"
import { invitesText } from "../text/invites.ts"

type OpenInvite = Output<"invites.get">

const t = invitesText.open
const nameMax = 100

export const InviteScreen = () => {
  const [token, setToken] = useState(() => linkToken("/invite"))
  useEffect(() => {
    document.title = t.documentTitle
    return onLinkToken("/invite", setToken)
  }, [])
  return token === undefined
    ? (
      <Gate title={t.missingTitle} lead={t.missing}>
        <ButtonLink to="/" variant="primary" wide>{t.home}</ButtonLink>
      </Gate>
    )
    : <Recipient key={token} token={token} />
}

const Recipient = ({ token }: { readonly token: string }) => {
  const invite = useQuery(inviteQuery(token))
  // Refused without a session: the recipient then signs in or creates an account.
  const me = useQuery(meQuery(null))
  const { data, error } = invite
  if (error !== null) return <Refused error={error} onRetry={() => void invite.refetch()} />
  if (data === undefined || me.isPending) return null
  return (
    <Gate title={t.title(data.workspace.name)} lead={<Lead invite={data} />}>
      {me.data !== undefined
        ? <Join token={token} invite={data} email={me.data.user.email} />
        : data.has_account && !data.can_sign_in
        ? <JoinAgain token={token} invite={data} />
        : data.has_account
        ? (
          <div className="grid gap-16">
            <p className="type-body text-2">{t.account}</p>
            <ButtonLink to="/sign-in" search={{ to: "/invite" }} variant="primary" wide>{t.signIn}</ButtonLink>
          </div>
        )
        : <CreateAccount token={token} invite={data} onAccount={() => void invite.refetch()} />}
      <p className="type-note text-3">
        <Phrase text={t.until} time={<Moment at={data.expires_at} />} />
      </p>
    </Gate>
  )
}

const Refused = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) => {
  const status = isHubError(error) ? error.status : undefined
  const isUnknown = status === 404 || status === 400
  if (!isUnknown && status !== 410) {
    return (
      <Gate title={t.unreadTitle}>
        <Problem inline error={error} failed={t.unread} onRetry={onRetry} />
      </Gate>
    )
  }
  return (
    <Gate
      title={isUnknown ? t.unknownTitle : t.endedTitle}
      lead={isUnknown || !isHubError(error) ? t.unknown : error.message}
    >
      <ButtonLink to="/" variant="primary" wide>{t.home}</ButtonLink>
    </Gate>
  )
}

const Lead = ({ invite: { email, invited_by, role, team } }: { readonly invite: OpenInvite }) => (
  <Phrase
    text={team === undefined ? t.lead : t.leadTeam}
    inviter={<b>{invited_by.name}</b>}
    email={<b>{email}</b>}
    role={t.roles[role]}
    teamRole={team === undefined ? "" : t.teamRoles[team.role]}
    team={<b>{team?.name}</b>}
  />
)

interface JoinProps {
  readonly token: string
  readonly invite: OpenInvite
}

/** Ends the invite's use and opens its workspace. */
const useAccept = ({ invite, token }: JoinProps, onAccount?: () => void) => {
  const { session } = useConsole()
  const accept = useAct("invites.accept", {
    workspace: null,
    anonymous: true,
    onDone: () => {
      forgetLinkToken()
      session.began(`/w/${invite.workspace.id}`)
    }
  })
  return {
    accept,
    join: (payload: NonNullable<Input<"invites.accept">["payload"]>) => {
      if (accept.isPending) return
      accept.mutate({ params: { token }, payload }, { onError: ({ status }) => status === 401 && onAccount?.() })
    }
  }
}

/** For a person with a session: their account joins, whatever email the invite was sent to. */
const Join = ({ email, ...props }: JoinProps & { readonly email: string }) => {
  const { live } = useConsole()
  const queries = useQueryClient()
  const { accept, join } = useAccept(props)
  const leave = useAct("auth.logout", {
    workspace: null,
    onDone: () => {
      live.announceSignOut()
      void queries.resetQueries()
    }
  })
  const { workspace } = props.invite
  // Joined with another invite, or in another tab.
  const isMember = accept.error?.status === 409
  return (
    <div className="grid gap-16">
      <p className="type-body text-2">
        <Phrase text={t.signedIn} email={<b>{email}</b>} />{" "}
        {email.toLowerCase() !== props.invite.email.toLowerCase() && (
          <Phrase text={t.other} email={<b>{props.invite.email}</b>} />
        )}
      </p>
      {accept.error !== null && <Problem inline error={accept.error} failed={t.failed} unchanged={t.unchanged} />}
      {isMember
        ? (
          <ButtonLink to="/w/$workspace" params={{ workspace: workspace.id }} variant="primary" wide>
            {t.open(workspace.name)}
          </ButtonLink>
        )
        : (
          <Button variant="primary" wide pending={accept.isPending} pendingText={t.pending} onClick={() => join({})}>
            {t.join}
          </Button>
        )}
      <Button variant="bare" wide pending={leave.isPending} onClick={() => leave.mutate({})}>{t.otherAccount}</Button>
    </div>
  )
}

/** For a person who left all workspaces: without one nobody can sign in, so their password accepts the invite. */
const JoinAgain = (props: JoinProps) => {
  const { accept, join } = useAccept(props)
  const [password, setPassword] = useState("")
  // They belong to the workspace now, and sign in with their second factor.
  const isMember = accept.error?.code === "second_factor_required"
  return (
    <FormFrame
      className="grid gap-16 min-w-0"
      call={accept}
      failed={isMember ? undefined : t.failed}
      unchanged={t.unchanged}
      disabled={password === ""}
      duringOutage
      onSubmit={() => {
        if (password !== "") join({ password })
      }}
    >
      <p className="type-body text-2">{t.former}</p>
      <input type="hidden" name="email" autoComplete="username" value={props.invite.email} readOnly />
      <TextField
        label={t.password}
        type="password"
        name="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={setPassword}
      />
      <FormProblem />
      {isMember
        ? (
          <>
            <p className="type-body text-2" role="status">{accept.error?.message}</p>
            <ButtonLink to="/sign-in" variant="primary" wide>{t.signIn}</ButtonLink>
          </>
        )
        : <FormSubmit variant="primary" wide act={t.join} pendingText={t.pending} />}
    </FormFrame>
  )
}

interface CreateAccountProps extends JoinProps {
  /** An account with the invite's email exists by now: its person signs in. */
  readonly onAccount: () => void
}

const CreateAccount = ({ onAccount, ...props }: CreateAccountProps) => {
  const { accept, join } = useAccept(props, onAccount)
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const [tried, setTried] = useState(false)
  const isGood = judgePassword(password).kind === "good"
  const submit = () => {
    setTried(true)
    if (isGood) join({ password, ...name.trim() === "" ? {} : { name: name.trim() } })
  }
  return (
    <Form
      className="grid gap-16 min-w-0"
      act={t.create}
      variant="primary"
      wide
      pendingText={t.pending}
      call={accept}
      failed={t.failed}
      unchanged={t.unchanged}
      duringOutage
      onSubmit={submit}
    >
      <input type="hidden" name="email" autoComplete="username" value={props.invite.email} readOnly />
      <TextField
        label={t.name}
        name="name"
        autoComplete="name"
        maxLength={nameMax}
        aside={t.optional}
        autoFocus
        value={name}
        onChange={setName}
        description={t.nameAbout}
      />
      <NewPasswordField
        value={password}
        onChange={setPassword}
        error={tried && !isGood ? t.passwordNeeded : undefined}
      />
    </Form>
  )
}
