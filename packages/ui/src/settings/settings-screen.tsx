/**
 * All sections of the settings. If there is room for them at the left, the address redirects to the first one
 * (`routes.tsx`).
 */
import { Page } from "../app/page.tsx"
import { settingsText as t } from "../text/settings.ts"
import { SectionList } from "./settings-frame.tsx"

export const SettingsScreen = () => (
  <Page title={t.title}>
    <SectionList described />
  </Page>
)
