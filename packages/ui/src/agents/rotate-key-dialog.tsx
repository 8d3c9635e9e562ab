/** Creates a new key for a mode. The old key stops working at once or after a grace period. */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { NumberField } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { useAct } from "../hub/use-hub.ts"
import { wholeMomentText } from "../patterns/moment-text.ts"
import { agentsText as texts } from "../text/agents.ts"
import styles from "./form.module.css"
import { KeyDialog } from "./key-dialog.tsx"

type Mode = "live" | "test"
const graces = ["0", "300", "3600", "86400", "other"] as const
const graceSecondsMax = 86_400
export interface RotateKeyDialogProps {
  readonly agent: {
    readonly id: string
    readonly name: string
    readonly mode_keys: { readonly live: boolean; readonly test: boolean }
  }
  readonly onClose: () => void
}

export const RotateKeyDialog = ({ agent, onClose }: RotateKeyDialogProps) => {
  const t = texts.rotate
  const [mode, setMode] = useState<Mode>(agent.mode_keys.live || !agent.mode_keys.test ? "live" : "test")
  const [grace, setGrace] = useState<(typeof graces)[number]>("3600")
  const [other, setOther] = useState<number | undefined>(60)
  const [made, setMade] = useState<
    { readonly apiKey: string; readonly until: string | undefined; readonly hadOld: boolean }
  >()
  const hasOld = agent.mode_keys[mode]
  const seconds = !hasOld ? 0 : grace === "other" ? other : Number(grace)
  const rotate = useAct("agents.rotateKey", {
    workspace: useWorkspaceId(),
    touches: ["agents"],
    onDone: ({ api_key }) =>
      setMade({
        apiKey: api_key,
        hadOld: hasOld,
        until: seconds === undefined || seconds === 0 ? undefined : wholeMomentText(hubClock.now() + seconds * 1_000)
      })
  })
  if (made !== undefined) {
    const before = made.until !== undefined ? texts.key.grace(made.until) : made.hadOld ? texts.key.dead : undefined
    return <KeyDialog name={agent.name} apiKey={made.apiKey} before={before} onKept={onClose} />
  }
  return (
    <FormDialog
      title={t.title(agent.name)}
      description={t.about}
      act={t.confirm}
      call={rotate}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={seconds === undefined}
      validates
      onClose={onClose}
      onSubmit={() => {
        if (seconds !== undefined) {
          rotate.mutate({ params: { id: agent.id }, payload: { mode, grace_seconds: seconds } })
        }
      }}
    >
      <RadioGroup
        label={t.mode}
        value={mode}
        onChange={setMode}
        options={(["live", "test"] as const).map((value) => ({
          value,
          text: t[value],
          ...(agent.mode_keys[value] ? {} : { description: t.none })
        }))}
      />
      {hasOld && (
        <div className={`grid items-start gap-12 gap-x-16 ${styles.pair}`}>
          <Select
            label={t.grace}
            description={t.graceAbout}
            value={grace}
            onChange={setGrace}
            options={graces.map((value) => ({ value, text: t.graces[value] }))}
          />
          {grace === "other" && (
            <NumberField
              label={t.seconds}
              suffix={t.secondsUnit}
              value={other}
              onChange={setOther}
              min={0}
              max={graceSecondsMax}
              invalidText={t.secondsInvalid}
              path="grace_seconds"
            />
          )}
        </div>
      )}
    </FormDialog>
  )
}
