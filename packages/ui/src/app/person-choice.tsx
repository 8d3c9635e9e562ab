/** Appearance, shortcuts, account, and sign-out. */
import { useNavigate, useRouter } from "@tanstack/react-router"
import { Keyboard, LogOut, UserRound } from "lucide-react"
import { Menu, MenuChoice, MenuItem, MenuLine, MenuSection } from "../components/menu.tsx"
import { shellText as t } from "../text/shell.ts"
import { contrasts, densities, setAppearance, themes, useAppearance } from "./appearance.ts"
import { standingCommands } from "./commands.ts"
import { useKeyCaps } from "./keys.ts"
import type { OpenMenuProps } from "./lazy-menu.tsx"
import { openOverlay } from "./overlay.ts"
import { useWorkspaceId } from "./session.ts"
import { useSignOut } from "./sign-out.ts"

const accountPath = "/w/$workspace/settings/account"

const PersonChoice = (menu: OpenMenuProps) => {
  const appearance = useAppearance()
  const signOut = useSignOut()
  const navigate = useNavigate()
  const { routesByPath } = useRouter()
  const workspace = useWorkspaceId()
  const keys = useKeyCaps("everywhere.keys")
  return (
    <Menu {...menu} side="top">
      <MenuSection label={t.appearance.theme}>
        <MenuChoice
          label={t.appearance.theme}
          value={appearance.theme}
          onChange={(theme) => setAppearance({ theme })}
          options={themes.map((value) => ({ value, text: t.appearance.themes[value] }))}
        />
      </MenuSection>
      <MenuLine />
      <MenuSection label={t.appearance.contrast}>
        <MenuChoice
          label={t.appearance.contrast}
          value={appearance.contrast}
          onChange={(contrast) => setAppearance({ contrast })}
          options={contrasts.map((value) => ({ value, text: t.appearance.contrasts[value] }))}
        />
      </MenuSection>
      <MenuLine />
      <MenuSection label={t.appearance.density}>
        <MenuChoice
          label={t.appearance.density}
          value={appearance.density}
          onChange={(density) => setAppearance({ density })}
          options={densities.map((value) => ({ value, text: t.appearance.densities[value] }))}
        />
      </MenuSection>
      <MenuLine />
      {accountPath in routesByPath && (
        <MenuItem
          icon={<UserRound />}
          onSelect={() => void navigate({ to: accountPath, params: { workspace } })}
        >
          {t.account}
        </MenuItem>
      )}
      {standingCommands().map(({ icon, id, run, text }) => (
        <MenuItem key={id} icon={icon} onSelect={run}>{text}</MenuItem>
      ))}
      <MenuItem icon={<Keyboard />} keys={keys} onSelect={() => openOverlay("keys")}>{t.keys}</MenuItem>
      <MenuItem icon={<LogOut />} onSelect={signOut}>{t.signOut}</MenuItem>
    </Menu>
  )
}

export default PersonChoice
