/** Name and time zone of the person's own account. Only changed fields are sent. */
import { useId, useState } from "react"
import { Form } from "../app/form.tsx"
import { useMe } from "../app/session.ts"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"

const nameMax = 100
const zones: ReadonlyArray<string> = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")]
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const ProfileForm = () => {
  const { account: t } = settingsText
  const { user } = useMe()
  const list = useId()
  const [draft, setDraft] = useState<{ readonly name?: string; readonly zone?: string }>({})
  const [isTried, setTried] = useState(false)
  const saved = { name: user.name, zone: user.time_zone ?? "" }
  const { name, zone } = { ...saved, ...draft }
  // A zone that the hub supports and this browser does not stays valid.
  const chosen = zone.trim() === ""
    ? ""
    : [...zones, saved.zone].find((each) => each.toLowerCase() === zone.trim().toLowerCase())
  const save = useAct("auth.updateMe", {
    workspace: null,
    touches: ["auth.me", "members"],
    onDone: () => {
      setDraft({})
      setTried(false)
      showToast({ text: t.profileSaved })
    }
  })
  const submit = () => {
    setTried(true)
    if (chosen === undefined) return
    save.mutate({
      payload: {
        ...name.trim() === saved.name ? {} : { name: name.trim() },
        ...chosen === saved.zone ? {} : { time_zone: chosen === "" ? null : chosen }
      }
    })
  }
  return (
    <Form
      className={styles.form}
      act={t.saveProfile}
      call={save}
      failed={t.profileFailed}
      unchanged={t.profileUnchanged}
      onSubmit={submit}
    >
      <TextField
        label={t.name}
        description={t.nameHint}
        className={styles.field}
        autoComplete="name"
        maxLength={nameMax}
        value={name}
        onChange={(next) => setDraft({ ...draft, name: next })}
      />
      <TextField
        label={t.timeZone}
        description={t.timeZoneHint(browserZone)}
        className={styles.field}
        list={list}
        placeholder={browserZone}
        value={zone}
        onChange={(next) => setDraft({ ...draft, zone: next })}
        error={isTried && chosen === undefined ? t.timeZoneUnknown : undefined}
      />
      <datalist id={list}>{zones.map((each) => <option key={each} value={each} />)}</datalist>
    </Form>
  )
}
