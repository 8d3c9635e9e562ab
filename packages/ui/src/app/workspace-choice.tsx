/** The list of the person's workspaces. Switching affects this tab only: the address holds the workspace. */
import { useNavigate } from "@tanstack/react-router"
import { Menu, MenuChoice, MenuSection } from "../components/menu.tsx"
import { shellText as t } from "../text/shell.ts"
import type { OpenMenuProps } from "./lazy-menu.tsx"
import { useWorkspaceId, useWorkspaces } from "./session.ts"

const WorkspaceChoice = (menu: OpenMenuProps) => {
  const workspace = useWorkspaceId()
  const all = useWorkspaces()
  const navigate = useNavigate()
  return (
    <Menu {...menu}>
      <MenuSection label={t.workspaces}>
        <MenuChoice
          label={t.workspaces}
          value={workspace}
          onChange={(id: string) => void navigate({ to: "/w/$workspace", params: { workspace: id } })}
          options={all.map(({ frozen, id, name }) => ({
            value: id,
            text: frozen
              ? (
                <>
                  {name} <span className="type-label text-stop">{t.frozenMark}</span>
                </>
              )
              : name
          }))}
        />
      </MenuSection>
    </Menu>
  )
}

export default WorkspaceChoice
