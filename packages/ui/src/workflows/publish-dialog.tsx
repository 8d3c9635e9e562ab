/** Requests that a version goes live, and shows its changes since the live version. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspace } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { showToast } from "../components/toast.tsx"
import { allTeams, versionQuery, type Workflow, type WorkflowVersion } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { workflowsText } from "../text/workflows.ts"
import { DefinitionDiff } from "./definition-diff.tsx"

const noteMax = 2_000

interface PublishDialogProps {
  readonly workflow: Workflow
  readonly version: WorkflowVersion
  readonly onClose: () => void
}

export const PublishWorkflowDialog = ({ onClose, version, workflow }: PublishDialogProps) => {
  const t = workflowsText.publish
  const { id: workspace, role } = useWorkspace()
  const navigate = useNavigate()
  const mayRead = useCan()("members:read")
  // Members publish to their own teams only.
  const teams = (useQuery({ ...allTeams(workspace), enabled: mayRead }).data ?? []).filter((each) =>
    role !== "member" || each.role !== null
  )
  const [scope, setScope] = useState<"org" | "team">(workflow.visibility === "team" ? "team" : "org")
  const [team, setTeam] = useState<string | undefined>(workflow.team_id)
  const [listed, setListed] = useState(false)
  const [note, setNote] = useState("")
  const { live_version: liveNumber, live_version_id: liveId } = workflow
  const live = useQuery({ ...versionQuery(workspace, workflow.id, liveId ?? ""), enabled: liveId !== undefined })
  const publish = useAct("workflows.publish", {
    workspace,
    touches: ["workflows", "publishing", "audit"],
    onDone: () => {
      onClose()
      showToast({
        text: t.done,
        action: {
          text: t.show,
          onPress: () =>
            void navigate({ to: "/w/$workspace/publications", params: { workspace }, search: { view: "review" } })
        }
      })
    }
  })
  return (
    <FormDialog
      title={t.title(workflow.name, version.number)}
      description={t.about}
      width="wide"
      act={t.act}
      call={publish}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={scope === "team" && team === undefined}
      onClose={onClose}
      onSubmit={() =>
        publish.mutate({
          params: { id: workflow.id, versionId: version.id },
          payload: {
            scope,
            ...scope === "team" && team !== undefined ? { team_id: team } : {},
            ...scope === "org" && listed ? { listed: true } : {},
            ...note.trim() === "" ? {} : { note: note.trim() }
          }
        })}
    >
      <Panel title={liveNumber === undefined ? workflowsText.change.list : t.compared(liveNumber)}>
        {liveId === undefined
          ? (
            <div className="grid gap-8">
              <p className="type-note text-2">{t.first}</p>
              <DefinitionDiff before={undefined} after={version} same={t.same} />
            </div>
          )
          : (
            <ScreenState query={live}>
              {live.data !== undefined && <DefinitionDiff before={live.data} after={version} same={t.same} />}
            </ScreenState>
          )}
      </Panel>
      <RadioGroup
        label={t.scope}
        value={scope}
        onChange={setScope}
        options={[
          { value: "org", text: t.org, description: t.orgAbout },
          {
            value: "team",
            text: t.team,
            description: teams.length === 0 ? t.noTeam : t.teamAbout,
            disabled: teams.length === 0
          }
        ]}
      />
      {scope === "team" && (
        <Select
          label={t.whichTeam}
          placeholder={t.chooseTeam}
          value={team}
          onChange={setTeam}
          options={teams.map(({ id, name }) => ({ value: id as string, text: name }))}
          path="team_id"
        />
      )}
      {scope === "org" && <Checkbox label={t.listed} checked={listed} onChange={setListed} />}
      <TextArea
        label={t.note}
        aside={workflowsText.optional}
        description={workflow.publish_request === undefined ? undefined : t.replaces}
        value={note}
        onChange={setNote}
        maxLength={noteMax}
        rows={2}
        path="note"
      />
    </FormDialog>
  )
}
