/** Starts the connection of an account: its name, its permissions, and the agents that it is available to. */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import type { AppProviderRow, AppRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { appsText as all } from "../text/apps.ts"
import { goToSignIn } from "./sign-in.ts"

export const ConnectDialog = (
  { onClose, provider }: { readonly provider: AppProviderRow; readonly onClose: () => void }
) => {
  const t = all.connecting
  const [name, setName] = useState(provider.title)
  const [visibility, setVisibility] = useState<AppRow["visibility"]>("private")
  const [scopes, setScopes] = useState(provider.default_scopes.join(" "))
  const [params, setParams] = useState(provider.params)
  const start = useAct("apps.create", {
    workspace: useWorkspaceId(),
    touches: ["apps"],
    onDone: ({ authorize_url }) => goToSignIn(authorize_url)
  })
  return (
    <FormDialog
      title={t.title(provider.title)}
      description={t.about(provider.title)}
      act={t.act(provider.title)}
      call={start}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() =>
        start.mutate({
          payload: {
            provider: provider.name,
            name: name.trim(),
            visibility,
            scopes: scopes.split(/[\s,]+/u).filter((scope) => scope !== ""),
            params
          }
        })}
    >
      <TextField label={t.name} value={name} onChange={setName} maxLength={100} required path="name" />
      <WhoFields value={visibility} onChange={setVisibility} />
      <TextField
        label={t.scopes}
        description={t.scopesAbout}
        mono
        value={scopes}
        onChange={setScopes}
        path="scopes"
      />
      {Object.keys(provider.params).map((parameter) => (
        <TextField
          key={parameter}
          label={<code className="type-mono">{parameter}</code>}
          mono
          value={params[parameter] ?? ""}
          onChange={(value) => setParams((before) => ({ ...before, [parameter]: value }))}
          path={`params.${parameter}`}
        />
      ))}
    </FormDialog>
  )
}

export const WhoFields = (
  { onChange, value }: {
    readonly value: AppRow["visibility"]
    readonly onChange: (value: AppRow["visibility"]) => void
  }
) => {
  const t = all.connecting
  return (
    <RadioGroup
      label={t.who}
      value={value}
      onChange={onChange}
      options={[
        { value: "private", text: t.mine, description: t.mineAbout },
        { value: "workspace", text: t.all, description: t.allAbout }
      ]}
    />
  )
}
