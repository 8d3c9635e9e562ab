/**
 * The person's workspaces, and a form for a new one. Each tab has its own workspace in its address; nothing here
 * changes another tab.
 */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { ButtonLink } from "../app/link.tsx"
import { useCan, useWorkspaceId, useWorkspaces } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { RowList } from "../patterns/row-list.tsx"
import { actText } from "../text/acts.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { SettingsFrame } from "./settings-frame.tsx"

const nameMax = 100

export const WorkspacesScreen = () => {
  const { roles, workspaces: t } = settingsText
  const { copying } = actText
  const here = useWorkspaceId()
  const all = useWorkspaces()
  return (
    <SettingsFrame section="workspaces" lead={t.what}>
      <Panel title={t.yours} flush>
        <RowList
          label={t.yours}
          rows={all.map(({ frozen, id, name, role }) => ({
            key: id,
            title: (
              <>{name} {id === here && <Badge>{t.here}</Badge>} {frozen && <Badge tone="stop">{t.frozen}</Badge>}</>
            ),
            detail: (
              <>
                <span>{roles[role]}</span>
                <Id value={id} texts={copying} />
              </>
            ),
            acts: id !== here && (
              <ButtonLink size="small" to="/w/$workspace/inbox" params={{ workspace: id }} aria-label={t.openOf(name)}>
                {t.open}
              </ButtonLink>
            )
          }))}
        />
      </Panel>
      <NewWorkspace />
    </SettingsFrame>
  )
}

const NewWorkspace = () => {
  const { workspaces: t } = settingsText
  const here = useWorkspaceId()
  const mayMake = useCan()("workspace:write")
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [isBlank, setBlank] = useState(false)
  const create = useAct("workspaces.create", {
    workspace: here,
    touches: ["workspaces", "auth.me"],
    onDone: ({ id }) => void navigate({ to: "/w/$workspace/start", params: { workspace: id } })
  })
  const submit = () => {
    const trimmed = name.trim()
    setBlank(trimmed === "")
    if (trimmed !== "") create.mutate({ payload: { name: trimmed } })
  }
  return (
    <Panel title={t.newTitle}>
      {mayMake
        ? (
          <Form
            className={styles.form}
            variant="primary"
            act={t.create}
            call={create}
            failed={t.failed}
            unchanged={t.unchanged}
            onSubmit={submit}
          >
            <p className="type-body text-2">{t.newWhat}</p>
            <TextField
              label={t.name}
              className={styles.field}
              required
              maxLength={nameMax}
              value={name}
              onChange={setName}
              path="name"
              error={isBlank ? t.nameNeeded : undefined}
            />
          </Form>
        )
        : <p className="type-body text-2">{t.noRight}</p>}
    </Panel>
  )
}
