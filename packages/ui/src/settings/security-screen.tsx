/** The person's second factors, and identities at the provider. */
import { securityText } from "../text/security.ts"
import { FactorsPanel } from "./factors-panel.tsx"
import { IdentitiesPanel } from "./identities-panel.tsx"
import { SettingsFrame } from "./settings-frame.tsx"

export const SecurityScreen = () => (
  <SettingsFrame section="security" lead={securityText.screen.what}>
    <FactorsPanel />
    <IdentitiesPanel />
  </SettingsFrame>
)
