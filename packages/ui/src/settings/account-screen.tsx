/** The person's profile, password, and sessions. */
import { useMe, useWorkspace } from "../app/session.ts"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { actText } from "../text/acts.ts"
import { settingsText } from "../text/settings.ts"
import { PasswordForm } from "./password-form.tsx"
import { ProfileForm } from "./profile-form.tsx"
import { Sessions } from "./sessions.tsx"
import { SettingsFrame } from "./settings-frame.tsx"

export const AccountScreen = () => {
  const { account: t, roles } = settingsText
  const { copying } = actText
  const { user } = useMe()
  const workspace = useWorkspace()
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
      <PasswordForm email={user.email} />
      <Sessions />
    </SettingsFrame>
  )
}
