/** The person's profile, password, and sessions. */
import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import { Form } from "../app/form.tsx"
import { useMe, useWorkspace } from "../app/session.ts"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { identitiesQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { NewPasswordField } from "../setup/new-password-field.tsx"
import { judgePassword } from "../setup/password-rules.ts"
import { actText } from "../text/acts.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { Sessions } from "./sessions.tsx"
import { SettingsFrame } from "./settings-frame.tsx"

export const AccountScreen = () => {
  const { account: t, roles } = settingsText
  const { copying } = actText
  const { user } = useMe()
  const workspace = useWorkspace()
  const identities = useQuery(identitiesQuery)
  return (
    <SettingsFrame section="account">
      <Panel title={t.profile}>
        <KeyValueList
          items={[
            { key: "email", name: t.email, value: user.email },
            { key: "role", name: t.role(workspace.name), value: roles[workspace.role] },
            { key: "id", name: t.id, value: <Id value={user.id} texts={copying} /> }
          ]}
        />
        <ProfileForm />
      </Panel>
      {identities.data?.has_password !== false && <PasswordForm email={user.email} />}
      <Sessions />
    </SettingsFrame>
  )
}

const PasswordForm = ({ email }: { readonly email: string }) => {
  const { account: t } = settingsText
  const [current, setCurrent] = useState("")
  const [next, setNext] = useState("")
  const [tried, setTried] = useState(false)
  const change = useAct("auth.password", {
    workspace: null,
    touches: ["auth.sessions"],
    onDone: () => {
      setCurrent("")
      setNext("")
      setTried(false)
      showToast({ text: t.changed })
    }
  })
  const isGood = judgePassword(next).kind === "good"
  const submit = () => {
    setTried(true)
    if (current !== "" && isGood) change.mutate({ payload: { current_password: current, new_password: next } })
  }
  const isWrong = change.error?.status === 403
  return (
    <Panel title={t.password}>
      <Form
        className={styles.form}
        variant="primary"
        act={t.change}
        call={change}
        failed={isWrong ? undefined : t.failed}
        unchanged={t.unchanged}
        onSubmit={submit}
      >
        <p className="type-body text-2">{t.passwordWhat}</p>
        {/* For password managers, to identify the account. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={t.current}
          className={styles.field}
          type="password"
          name="current-password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(value) => {
            setCurrent(value)
            if (change.isError) change.reset()
          }}
          error={isWrong || (tried && current === "") ? t.wrong : undefined}
        />
        <div className={styles.field}>
          <NewPasswordField
            label={t.next}
            value={next}
            onChange={setNext}
            error={tried && !isGood ? t.choose : undefined}
          />
        </div>
      </Form>
    </Panel>
  )
}

const nameMax = 100
const zones: ReadonlyArray<string> = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")]
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Name and time zone of the person's own account. Only changed fields are sent. */
const ProfileForm = () => {
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
