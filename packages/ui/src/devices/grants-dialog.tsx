/** Changes the grants of a device. Capabilities that it announced later are offered here too. */
import { useState } from "react"
import { fieldProblem } from "../app/field-problem.ts"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import type { Device } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { devicesText as texts } from "../text/devices.ts"
import { AgentFields, agentsOf, modeOf, ToolFields } from "./grant-fields.tsx"

const sameAs = (a: Device["agents"], b: Device["agents"]): boolean =>
  a === "*" || b === "*" ? a === b : a.length === b.length && a.every((id) => b.includes(id))

export const GrantsDialog = ({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) => {
  const t = texts.grants
  const [tools, setTools] = useState(device.granted)
  const [mode, setMode] = useState(modeOf(device.agents))
  const [picked, setPicked] = useState<ReadonlyArray<string>>(device.agents === "*" ? [] : device.agents)
  const [lacksAgents, setLacksAgents] = useState(false)
  const update = useAct("devices.update", {
    workspace: useWorkspaceId(),
    touches: ["devices", "audit.list"],
    done: t.done,
    onDone: onClose
  })
  const agents = agentsOf(mode, picked) as Device["agents"]
  return (
    <FormDialog
      title={t.dialogTitle(device.name)}
      description={texts.pairing.grantAbout}
      act={t.save}
      call={update}
      places={["granted", "agents"]}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => {
        const lacks = mode === "some" && picked.length === 0
        setLacksAgents(lacks)
        if (lacks) return
        const same = tools.length === device.granted.length && tools.every((tool) => device.granted.includes(tool))
        // Granting the same capabilities again confirms a device that was offline for long.
        const payload = {
          ...(same && device.state !== "pending" ? {} : { granted: tools }),
          ...(sameAs(agents, device.agents) ? {} : { agents })
        }
        if (Object.keys(payload).length === 0) onClose()
        else update.mutate({ params: { id: device.id }, payload })
      }}
    >
      <ToolFields
        offered={device.capabilities}
        before={device.granted}
        value={tools}
        onChange={setTools}
        error={fieldProblem(update.error, "granted", true)}
      />
      <AgentFields
        mode={mode}
        onMode={setMode}
        picked={picked}
        onPick={setPicked}
        error={lacksAgents && mode === "some" && picked.length === 0
          ? t.pickAgent
          : fieldProblem(update.error, "agents", true)}
      />
    </FormDialog>
  )
}
