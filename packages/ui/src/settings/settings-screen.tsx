/** All parts of the settings. Where there is room for them at the left, the address leads on to the first (`routes.tsx`). */
import { Page } from "../app/page.tsx"
import { useText } from "../text/catalogue.ts"
import { settingsText } from "../text/settings.ts"
import { SectionList } from "./settings-frame.tsx"

export const SettingsScreen = () => {
  const t = useText(settingsText)
  return (
    <Page title={t.title}>
      <SectionList described />
    </Page>
  )
}
