/** The current workspace, and a menu to switch to another. */
import { ChevronsUpDown } from "lucide-react"
import { useText } from "../text/catalogue.ts"
import { shellText } from "../text/shell.ts"
import { LazyMenu } from "./lazy-menu.tsx"
import { Mark } from "./mark.tsx"
import { useWorkspace } from "./session.ts"
import styles from "./workspace-menu.module.css"

const load = () => import("./workspace-choice.tsx")

export const WorkspaceMenu = () => {
  const t = useText(shellText)
  const { name, role } = useWorkspace()
  return (
    <LazyMenu
      load={load}
      trigger={
        <button type="button" className={styles.workspace}>
          <Mark size={20} />
          <span className={styles.spoken}>{t.workspace}</span>
          <span className={styles.words}>
            <span className={styles.name}>{name}</span>
            <span className={styles.role}>{t.role[role]}</span>
          </span>
          <ChevronsUpDown aria-hidden size={14} className={styles.chevron} />
        </button>
      }
    />
  )
}
