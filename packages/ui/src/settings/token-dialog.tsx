/** Creates a token: name, lifetime, and scopes, each in words. */
import type { Permission } from "@countersign/domain/auth"
import type { Output } from "@countersign/hub-client/contract"
import { useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { permissionGroups, shownPermissions } from "./permission-groups.ts"
import scopeStyles from "./scopes.module.css"

const nameMax = 100
const lives = [7, 30, 90, 365] as const
const usualDays = 90

export interface TokenDialogProps {
  readonly onClose: () => void
  readonly onMade: (token: Output<"tokens.create">) => void
}

export const TokenDialog = ({ onClose, onMade }: TokenDialogProps) => {
  const { permissions, tokens: t } = settingsText
  const workspace = useWorkspaceId()
  const can = useCan()
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState("")
  const [days, setDays] = useState<number>(usualDays)
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(new Set())
  const [tried, setTried] = useState(false)
  const mint = useAct("tokens.create", { workspace, touches: ["tokens"], onDone: onMade })
  const submit = () => {
    setTried(true)
    const trimmed = name.trim()
    if (trimmed === "" || scopes.size === 0) return
    mint.mutate({
      payload: { name: trimmed, scopes: shownPermissions.filter((scope) => scopes.has(scope)), expires_in_days: days }
    })
  }
  const set = (scope: Permission, on: boolean) => {
    const next = new Set(scopes)
    if (on) next.add(scope)
    else next.delete(scope)
    setScopes(next)
  }
  return (
    <FormDialog
      title={t.make}
      initialFocus={field}
      act={t.create}
      call={mint}
      failed={t.failed}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        ref={field}
        label={t.name}
        className={styles.field}
        required
        maxLength={nameMax}
        placeholder={t.namePlaceholder}
        value={name}
        onChange={setName}
        path="name"
        error={tried && name.trim() === "" ? t.nameNeeded : undefined}
      />
      <Select
        label={t.expires}
        className={styles.short}
        value={String(days)}
        onChange={(value) => setDays(Number(value))}
        options={lives.map((each) => ({ value: String(each), text: t.days(each) }))}
      />
      <fieldset className="grid gap-12 w-full">
        <legend className={`w-full type-label ${scopeStyles.legend}`}>{t.scopes}</legend>
        <div className="flex flex-wrap items-center gap-12">
          <Button
            size="small"
            onClick={() =>
              setScopes(new Set(shownPermissions.filter((scope) => scope.endsWith(":read") && can(scope))))}
          >
            {t.readOnly}
          </Button>
          <Button size="small" variant="bare" onClick={() => setScopes(new Set())}>{t.none}</Button>
        </div>
        {tried && scopes.size === 0 && <p className="type-note weight-label text-stop" role="alert">{t.scopesNeeded}
        </p>}
        {permissionGroups.map((group) => (
          <div key={group[0]} className="grid gap-8 pt-12 border-t">
            {group.map((scope) => (
              <Checkbox
                key={scope}
                label={<code className="type-mono">{scope}</code>}
                description={can(scope) ? permissions[scope] : t.beyond}
                checked={scopes.has(scope)}
                disabled={!can(scope)}
                onChange={(on) => set(scope, on)}
              />
            ))}
          </div>
        ))}
      </fieldset>
    </FormDialog>
  )
}
