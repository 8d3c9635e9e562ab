/** A person allows an MCP client to act as one of their agents, or denies it. */
import { isHubError } from "@countersign/hub-client/error"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Gate } from "../app/gate.tsx"
import { lastWorkspace } from "../app/last-workspace.ts"
import { ButtonLink } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Select } from "../components/select.tsx"
import { agentChoices, meQuery, workspacesQuery } from "../hub/queries.ts"
import { Phrase } from "../text/catalogue.ts"
import { oauthText as t } from "../text/oauth.ts"
import { type AuthorizationClient, decide, readClient } from "./authorization.ts"

export const ConsentScreen = () => {
  const parameters = useSearch({ from: "/oauth/authorize" })
  const search = new URLSearchParams(parameters as Record<string, string>).toString()
  const [read, setRead] = useState<{ readonly client: AuthorizationClient } | { readonly error: unknown }>()
  useEffect(() => {
    document.title = t.documentTitle
    const over = new AbortController()
    readClient(search, over.signal).then(
      (client) => over.signal.aborted || setRead({ client }),
      (error: unknown) => over.signal.aborted || setRead({ error })
    ).catch(() => {})
    return () => over.abort()
  }, [search])
  if (read === undefined) return null
  if ("client" in read) return <Consent search={search} client={read.client} />
  const { error } = read
  if (isHubError(error) && error.status === 401 && error.code === "access_denied") {
    return (
      <Gate title={t.signIn} lead={t.lead}>
        <ButtonLink to="/sign-in" search={{ to: `/oauth/authorize?${search}` }} variant="primary" wide>
          {t.signIn}
        </ButtonLink>
      </Gate>
    )
  }
  return (
    <Gate title={t.refusedTitle} lead={t.refused}>
      <Problem inline error={error} failed={t.failed} />
      <ButtonLink to="/" wide>{t.home}</ButtonLink>
    </Gate>
  )
}

interface ConsentProps {
  readonly search: string
  readonly client: AuthorizationClient
}

const Consent = ({ client, search }: ConsentProps) => {
  const me = useQuery(meQuery(null))
  const workspaces = useQuery(workspacesQuery).data?.data ?? []
  const [picked, setPicked] = useState<string>()
  const usual = workspaces.find(({ id }) => id === lastWorkspace())?.id ?? me.data?.active_workspace
  const workspace = picked ?? usual
  if (workspace === undefined) return null
  return (
    <Gate title={t.title(client.client_name)} lead={t.lead}>
      <Choice
        key={workspace}
        search={search}
        client={client}
        workspace={workspace}
        workspaces={workspaces}
        onWorkspace={setPicked}
      />
    </Gate>
  )
}

interface ChoiceProps extends ConsentProps {
  readonly workspace: string
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string }>
  readonly onWorkspace: (id: string) => void
}

const Choice = ({ client, onWorkspace, search, workspace, workspaces }: ChoiceProps) => {
  const agents = useQuery(agentChoices(workspace))
  const usable = (agents.data?.data ?? []).filter(({ status }) => status === "active")
  const [picked, setPicked] = useState<string>()
  const agent = picked ?? (usable.length === 1 ? usable[0]?.id : undefined)
  const call = useMutation({ mutationFn: decide, onSuccess: (address) => location.assign(address) })
  const isOver = call.isPending || call.isSuccess
  return (
    <div className="grid gap-16">
      <Select
        label={t.workspace}
        value={workspace}
        onChange={onWorkspace}
        options={workspaces.map(({ id, name }) => ({ value: id, text: name }))}
      />
      <Select
        label={t.agent}
        placeholder={t.choose}
        description={agents.data !== undefined && usable.length === 0 ? t.noAgents : undefined}
        value={agent}
        onChange={setPicked}
        options={usable.map(({ id, name }) => ({ value: id, text: name }))}
      />
      <p className="type-note text-2 wrap-anywhere">
        {client.client_id.startsWith("https:") && (
          <>
            <Phrase text={t.identified} place={<b>{new URL(client.client_id).host}</b>} />
            {" "}
          </>
        )}
        <Phrase text={t.returnsTo} place={<b>{new URL(client.redirect_uri).host}</b>} /> {t.nameWarning} {t.ends}
      </p>
      {call.error !== null && <Problem inline error={call.error} failed={t.failed} />}
      {call.isSuccess && <p role="status" className="type-note text-2">{t.going}</p>}
      <div className="flex justify-end gap-8">
        <Button
          disabled={isOver}
          onClick={() => call.mutate({ search, workspace, agent: undefined, decision: "deny" })}
        >
          {t.deny}
        </Button>
        <Button
          variant="primary"
          disabled={isOver || agent === undefined}
          pending={call.isPending}
          onClick={() => call.mutate({ search, workspace, agent, decision: "approve" })}
        >
          {t.approve}
        </Button>
      </div>
    </div>
  )
}
