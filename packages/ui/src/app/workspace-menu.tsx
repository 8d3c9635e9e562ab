/** The current workspace, and a menu to switch to another. */
import { ChevronsUpDown } from "lucide-react"
import { shellText as t } from "../text/shell.ts"
import { LazyMenu } from "./lazy-menu.tsx"
import { Mark } from "./mark.tsx"
import { useWorkspace } from "./session.ts"
import styles from "./workspace-menu.module.css"

const load = () => import("./workspace-choice.tsx")

export const WorkspaceMenu = () => {
  const { name, role } = useWorkspace()
  return (
    <LazyMenu
      load={load}
      trigger={
        <button type="button" className={styles.workspace}>
          <Mark size={20} />
          <span className="sr-only">{t.workspace}</span>
          <span className="grid flex-1 min-w-0">
            <span className="type-control weight-strong truncate">{name}</span>
            <span className="type-meta text-3">{t.role[role]}</span>
          </span>
          <ChevronsUpDown aria-hidden size={14} className="text-3" />
        </button>
      }
    />
  )
}
