/**
 * All sections of the settings. If there is room for them at the left, the address redirects to the first one
 * (`routes.tsx`).
 */
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
