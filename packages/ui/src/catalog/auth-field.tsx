/** How the hub authenticates to the provider: the type of credential, and the name of its secret. */
import { useQuery } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { appChoices, appProviders, secretChoices } from "../hub/queries.ts"
import { SetSecretDialog } from "../secrets/set-secret-dialog.tsx"
import { catalogText as all } from "../text/catalog.ts"
import { authTypes, type Draft, textIn, withField } from "./service-draft.ts"
import styles from "./service-editor.module.css"

export interface AuthFieldProps {
  readonly value: Draft
  readonly onChange: (auth: Draft | undefined) => void
  /** The error at `type`, `secret`, `header`, `param`, or `app`. */
  readonly problem: (name: string) => string | undefined
}

export const AuthField = ({ onChange, problem, value }: AuthFieldProps) => {
  const t = all.editor
  const secrets = useQuery(secretChoices(useWorkspaceId())).data?.data ?? []
  const [isNaming, setNaming] = useState(false)
  const type = authTypes.find((each) => each === value["type"]) ?? "none"
  const secret = textIn(value, "secret")
  const known = secrets.map(({ name }) => ({ value: name as string, text: name as string }))
  const options = secret === "" || known.some((each) => each.value === secret)
    ? known
    : [{ value: secret, text: t.notThere(secret) }, ...known]
  return (
    <div className="grid gap-16 min-w-0">
      <div className={styles.pair}>
        <Select
          label={t.authType}
          value={type}
          onChange={(next) =>
            onChange(
              next === "none"
                ? undefined
                : next === "oauth_app"
                ? { type: next }
                : withField({ type: next }, "secret", secret)
            )}
          options={authTypes.map((each) => ({ value: each, text: all.detail.auths[each] }))}
          error={problem("type")}
        />
        {type === "header" && (
          <TextField
            label={t.header}
            mono
            required
            value={textIn(value, "header")}
            onChange={(next) => onChange(withField(value, "header", next))}
            error={problem("header")}
          />
        )}
        {type === "query" && (
          <TextField
            label={t.param}
            mono
            required
            value={textIn(value, "param")}
            onChange={(next) => onChange(withField(value, "param", next))}
            error={problem("param")}
          />
        )}
      </div>
      {type === "oauth_app" && <AppChoice value={value} onChange={onChange} error={problem("app")} />}
      {type !== "none" && type !== "oauth_app" && (
        <div className={`grid items-start gap-8 ${styles.secret}`}>
          <Select
            label={t.secret}
            placeholder={options.length === 0 ? t.noSecrets : ""}
            description={type === "basic" ? t.basicAbout : t.secretAbout}
            value={secret === "" ? undefined : secret}
            onChange={(next) => onChange({ ...value, secret: next })}
            options={options}
            error={problem("secret")}
          />
          <Button icon={<Plus />} onClick={() => setNaming(true)}>
            {t.newSecret}
          </Button>
        </div>
      )}
      {isNaming && (
        <SetSecretDialog
          onClose={() => setNaming(false)}
          onStored={(name) => onChange({ ...value, secret: name })}
        />
      )}
    </div>
  )
}

/** A provider, which means each agent's own app, or one connected app. */
const AppChoice = (
  { error, onChange, value }: {
    readonly value: Draft
    readonly onChange: (auth: Draft) => void
    readonly error: string | undefined
  }
) => {
  const t = all.editor
  const workspace = useWorkspaceId()
  const enabled = useCan()("apps:read")
  const providers = useQuery({ ...appProviders(workspace), enabled }).data?.data ?? []
  const apps = useQuery({ ...appChoices(workspace), enabled }).data?.data ?? []
  const app = textIn(value, "app")
  const known = [
    ...providers.filter(({ configured, name }) => configured || name === app).map(({ name, title }) => ({
      value: name,
      text: t.ofOwner(title)
    })),
    ...apps.filter(({ id, status }) => status === "connected" || id === app).map(({ account, id, name }) => ({
      value: id as string,
      text: account === undefined ? name : `${name} (${account})`
    }))
  ]
  const options = app === "" || known.some((each) => each.value === app) ? known : [{ value: app, text: app }, ...known]
  return (
    <Select
      label={t.app}
      placeholder={options.length === 0 ? t.noApps : ""}
      description={t.appAbout}
      value={app === "" ? undefined : app}
      onChange={(next) => onChange({ ...value, app: next })}
      options={options}
      error={error}
    />
  )
}
