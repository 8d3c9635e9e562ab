/** Requests the publication of an agent, and shows every field that others will see. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useCan, useWorkspace } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { showToast } from "../components/toast.tsx"
import { allTeams } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { publicationsText } from "../text/publications.ts"
import { ListingPreview } from "./listing-preview.tsx"

const noteMax = 2_000

export interface PublishDialogProps {
  readonly agent: Output<"agents.get">
  readonly onClose: () => void
}

export const PublishDialog = ({ agent, onClose }: PublishDialogProps) => {
  const t = publicationsText.publish
  const { id: workspace, name: publisher, role } = useWorkspace()
  const navigate = useNavigate()
  const mayRead = useCan()("members:read")
  // Members publish to their own teams only.
  const teams = (useQuery({ ...allTeams(workspace), enabled: mayRead }).data ?? []).filter((each) =>
    role !== "member" || each.role !== null
  )
  const [scope, setScope] = useState<"org" | "team">("org")
  const [team, setTeam] = useState<(typeof teams)[number]["id"]>()
  const [listed, setListed] = useState(false)
  const [note, setNote] = useState("")
  const isListed = scope === "org" && listed
  const publish = useAct("publishing.publishAgent", {
    workspace,
    touches: ["publishing", "audit"],
    onDone: ({ name }) => {
      onClose()
      showToast({
        text: t.done(name),
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
      title={t.title(agent.name)}
      description={t.about}
      act={t.act}
      call={publish}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={scope === "team" && team === undefined}
      onClose={onClose}
      onSubmit={() =>
        publish.mutate({
          params: { id: agent.id },
          payload: {
            scope,
            ...scope === "team" && team !== undefined ? { team_id: team } : {},
            ...isListed ? { listed: true } : {},
            ...note.trim() === "" ? {} : { note: note.trim() }
          }
        })}
    >
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
          options={teams.map(({ id, name }) => ({ value: id, text: name }))}
          path="team_id"
        />
      )}
      {scope === "org" && (
        <Checkbox label={t.listed} description={t.listedAbout} checked={listed} onChange={setListed} />
      )}
      <Panel title={t.preview}>
        <p className="mb-8 type-note text-2" role="status">
          {publicationsText.becomes({ scope, listed: isListed })}
        </p>
        <ListingPreview listing={{ ...agent, kind: "agent", publisher }} />
      </Panel>
      <TextArea
        label={t.note}
        aside={publicationsText.optional}
        description={t.noteAbout}
        value={note}
        onChange={setNote}
        maxLength={noteMax}
        rows={2}
        path="note"
      />
    </FormDialog>
  )
}
