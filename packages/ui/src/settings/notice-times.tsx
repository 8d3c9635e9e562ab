/** Quiet hours, and the time between two emails. */
import { digestMinutesMax } from "@countersign/domain/notice-events"
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { useMe, useWorkspaceId } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { NumberField } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { noticesText as t } from "../text/notices.ts"
import styles from "./form.module.css"
import type { Settings } from "./notice-matrix.tsx"

const hoursDefault = { from: "22:00", to: "07:00" }

export const NoticeTimes = ({ settings }: { readonly settings: Settings }) => {
  const zone = useMe().user.time_zone ?? "UTC"
  const [isQuiet, setQuiet] = useState(settings.quiet_hours !== undefined)
  const [hours, setHours] = useState(settings.quiet_hours ?? hoursDefault)
  const [digest, setDigest] = useState<number | undefined>(settings.email_digest_minutes)
  const save = useAct("notifications.update", {
    workspace: useWorkspaceId(),
    touches: ["notifications.settings"],
    done: t.saved
  })
  const areSame = isQuiet && hours.from === hours.to
  const submit = () => {
    if (digest === undefined || areSame || hours.from === "" || hours.to === "") return
    save.mutate({ payload: { quiet_hours: isQuiet ? hours : null, email_digest_minutes: digest } })
  }
  return (
    <Panel title={t.times}>
      <Form className={styles.form} act={t.save} call={save} failed={t.notSaved} onSubmit={submit}>
        <Checkbox label={t.quiet} description={t.quietWhat(zone)} checked={isQuiet} onChange={setQuiet} />
        {isQuiet && (
          <div className={`grid gap-12 ${styles.pair}`}>
            <TextField
              label={t.from}
              type="time"
              required
              value={hours.from}
              onChange={(from) => setHours({ ...hours, from })}
            />
            <TextField
              label={t.to}
              type="time"
              required
              value={hours.to}
              onChange={(to) => setHours({ ...hours, to })}
              error={areSame ? t.sameTimes : undefined}
            />
          </div>
        )}
        <NumberField
          label={t.digest}
          className={styles.short}
          required
          min={1}
          max={digestMinutesMax}
          value={digest}
          onChange={setDigest}
          invalidText={t.digestInvalid}
          description={t.digestWhat}
        />
      </Form>
    </Panel>
  )
}
