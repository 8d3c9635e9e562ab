/** How the hub authenticates to the provider: the type of credential, and the name of its secret. */
import { useQuery } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { secretChoices } from "../hub/queries.ts"
import { SetSecretDialog } from "../secrets/set-secret-dialog.tsx"
import { catalogText as all } from "../text/catalog.ts"
import { authTypes, type Draft, textIn, withField } from "./service-draft.ts"
import styles from "./service-editor.module.css"

export interface AuthFieldProps {
  readonly value: Draft
  readonly onChange: (auth: Draft | undefined) => void
  /** The error at `type`, `secret`, `header`, or `param`. */
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
          onChange={(next) => onChange(next === "none" ? undefined : withField({ type: next }, "secret", secret))}
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
      {type !== "none" && (
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
