/** Starts a chat: with an agent of the workspace or a new one, a model, and a mode. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { agentChoices, assistantQuery, type ChatSession } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { chatText } from "../text/chat.ts"
import { ModelPicker } from "./model-picker.tsx"

type Mode = ChatSession["mode"]

/** The choice of an agent for this chat only. */
const own = "own"

interface NewChatDialogProps {
  readonly onClose: () => void
  readonly onMade: (session: ChatSession) => void
}

export const NewChatDialog = ({ onClose, onMade }: NewChatDialogProps) => {
  const t = chatText.newChat
  const workspace = useWorkspaceId()
  const mayReadAgents = useCan()("agents:read")
  const assistant = useQuery({ ...assistantQuery(workspace), enabled: mayReadAgents }).data?.data[0]
  const agents = useQuery({ ...agentChoices(workspace), enabled: mayReadAgents }).data?.data ?? []
  const [picked, setAgent] = useState<string>()
  const [model, setModel] = useState<string>()
  const [mode, setMode] = useState<Mode>("live")
  // The assistant is offered first.
  const agent = picked ?? assistant?.id ?? own
  const create = useAct("chat.create", { workspace, touches: ["chat.list"], onDone: onMade })
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      act={t.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({
          payload: {
            mode,
            ...agent === own ? {} : { agent_id: agent },
            ...model === undefined ? {} : { model }
          }
        })}
    >
      <Select
        label={t.agent}
        description={agent === own ? t.ownAbout : t.agentAbout}
        value={agent}
        onChange={setAgent}
        options={[
          ...assistant === undefined ? [] : [{ value: assistant.id as string, text: assistant.name }],
          { value: own, text: t.own },
          ...agents.filter(({ id }) => id !== assistant?.id).map(({ id, name }) => ({
            value: id as string,
            text: name
          }))
        ]}
        path="agent_id"
      />
      <div className="grid gap-4 justify-items-start">
        <span className="type-label">{t.model}</span>
        <ModelPicker inline value={model} onChange={setModel} />
      </div>
      <RadioGroup
        inline
        label={t.mode}
        value={mode}
        onChange={setMode}
        options={(["live", "test"] as const).map((value) => ({
          value,
          text: t.modes[value],
          description: t.modeAbout[value]
        }))}
      />
    </FormDialog>
  )
}
