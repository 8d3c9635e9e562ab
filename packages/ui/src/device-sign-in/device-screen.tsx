/** A person compares the code of a program that wants to sign in as them, and approves or rejects it. */
import type { Permission } from "@countersign/domain/auth"
import type { Output } from "@countersign/hub-client/contract"
import { isHubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Form } from "../app/form.tsx"
import { Gate } from "../app/gate.tsx"
import { lastWorkspace } from "../app/last-workspace.ts"
import { ButtonLink } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Select } from "../components/select.tsx"
import { useCodeField } from "../devices/code-field.tsx"
import { codeIn, codeLength, shownCode } from "../devices/pairing-code.ts"
import { hubClock } from "../hub/hub-time.ts"
import { deviceSignInQuery, meQuery, workspacesQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { deviceSignInText as t } from "../text/device-sign-in.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { settingsText } from "../text/settings.ts"

type SignIn = Output<"device_sign_in.get">

export const DeviceScreen = () => {
  const { code: given = "" } = useSearch({ from: "/device" })
  const code = shownCode(codeIn(given))
  const isWhole = codeIn(given).length === codeLength
  const me = useQuery(meQuery(null))
  const signIn = useQuery({ ...deviceSignInQuery(code), enabled: isWhole && me.data !== undefined })
  useEffect(() => {
    document.title = t.documentTitle
  }, [])
  if (isHubError(me.error) && me.error.status === 401) {
    return (
      <Gate title={t.signIn} lead={t.signInLead}>
        <ButtonLink to="/sign-in" search={{ to: isWhole ? `/device?code=${code}` : "/device" }} variant="primary" wide>
          {t.signIn}
        </ButtonLink>
      </Gate>
    )
  }
  if (me.error !== null) {
    return (
      <Gate title={t.title}>
        <Problem inline error={me.error} failed={t.failed} />
      </Gate>
    )
  }
  if (signIn.data !== undefined) return <Asked signIn={signIn.data} />
  if (me.data === undefined || (isWhole && signIn.error === null)) return null
  const status = isHubError(signIn.error) ? signIn.error.status : undefined
  const problem = status === 404 ? t.wrong : status === 410 ? t.gone : undefined
  return (
    <Gate title={t.title} lead={t.lead}>
      <CodeForm key={signIn.errorUpdatedAt} was={given} problem={problem} />
      {signIn.error !== null && problem === undefined && <Problem inline error={signIn.error} failed={t.failed} />}
    </Gate>
  )
}

const CodeForm = ({ problem, was }: { readonly problem: string | undefined; readonly was: string }) => {
  const navigate = useNavigate()
  const { field, onSubmit } = useCodeField({
    was,
    problem,
    texts: t,
    onCode: (code) => void navigate({ to: "/device", search: { code } })
  })
  return <Form act={t.look} variant="primary" wide onSubmit={onSubmit}>{field}</Form>
}

const Asked = ({ signIn }: { readonly signIn: SignIn }) => {
  const workspaces = useQuery(workspacesQuery).data?.data ?? []
  const me = useQuery(meQuery(null))
  const [picked, setPicked] = useState<string>()
  const usual = workspaces.find(({ id }) => id === lastWorkspace())?.id ?? me.data?.active_workspace
  const workspace = picked ?? usual
  const rights = useQuery({ ...meQuery(workspace ?? null), enabled: workspace !== undefined })
  const held = new Set<Permission>(rights.data?.permissions ?? [])
  const [without, setWithout] = useState<ReadonlySet<Permission>>(new Set())
  const [isTried, setTried] = useState(false)
  const input = { params: { userCode: signIn.user_code } }
  const confirm = useAct("device_sign_in.confirm", { workspace: workspace ?? null, touches: ["tokens"] })
  const reject = useAct("device_sign_in.reject", { workspace: null })
  const scopes = signIn.scopes.filter((scope) => held.has(scope) && !without.has(scope))
  if (confirm.isSuccess || reject.isSuccess) {
    return (
      <Gate
        title={confirm.isSuccess ? t.approved : t.rejected}
        lead={confirm.isSuccess ? t.approvedWhat : t.rejectedWhat}
      >
        <ButtonLink to="/" wide>{t.home}</ButtonLink>
      </Gate>
    )
  }
  const approve = () => {
    setTried(true)
    if (workspace === undefined || scopes.length === 0) return
    confirm.mutate({ ...input, payload: { workspace_id: workspace as NonNullable<SignInWorkspace>, scopes } })
  }
  const isPending = confirm.isPending || reject.isPending
  return (
    <Gate title={t.asked(signIn.client_name)} lead={t.askedLead}>
      <div className="grid gap-16">
        <KeyValueList
          items={[
            { key: "code", name: t.code, value: <code className="type-mono" translate="no">{signIn.user_code}</code> },
            { key: "client", name: t.client, value: <RevealedText text={signIn.client_name} texts={reveal} /> },
            {
              key: "address",
              name: t.address,
              value: <code className="type-mono wrap-anywhere">{signIn.address}</code>
            },
            ...signIn.user_agent === undefined
              ? []
              : [{ key: "agent", name: t.agent, value: <RevealedText text={signIn.user_agent} texts={reveal} /> }],
            {
              key: "started",
              name: t.started,
              value: <RelativeTime at={signIn.created_at} now={hubClock.now} />
            }
          ]}
        />
        <p className="type-note text-2">{t.nameWarning}</p>
        <Select
          label={t.workspace}
          value={workspace}
          onChange={setPicked}
          options={workspaces.map(({ id, name }) => ({ value: id as string, text: name }))}
        />
        <fieldset className="grid gap-8">
          <legend className="pb-4 type-label">{t.scopes}</legend>
          {signIn.scopes.map((scope) => (
            <Checkbox
              key={scope}
              label={<code className="type-mono">{scope}</code>}
              description={held.has(scope) ? settingsText.permissions[scope] : t.lacking}
              disabled={!held.has(scope) || isPending}
              checked={held.has(scope) && !without.has(scope)}
              onChange={(on) => {
                const next = new Set(without)
                if (on) next.delete(scope)
                else next.add(scope)
                setWithout(next)
              }}
            />
          ))}
        </fieldset>
        {isTried && scopes.length === 0 && <p className="type-note weight-label text-stop" role="alert">{t.none}</p>}
        {confirm.error !== null && <Problem inline error={confirm.error} failed={t.failed} />}
        {reject.error !== null && <Problem inline error={reject.error} failed={t.rejectFailed} />}
        <div className="flex justify-end gap-8">
          <Button disabled={isPending} onClick={() => reject.mutate(input)}>{t.reject}</Button>
          <Button
            variant="primary"
            disabled={isPending || rights.data === undefined}
            pending={confirm.isPending}
            onClick={approve}
          >
            {t.approve}
          </Button>
        </div>
      </div>
    </Gate>
  )
}

type SignInWorkspace = Output<"auth.me">["active_workspace"]
