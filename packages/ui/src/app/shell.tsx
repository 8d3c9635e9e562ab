/** What stands round every screen of a workspace: rail, standing lines, the screen, the bar of a lost connection, the phone's bar. */
import { Outlet } from "@tanstack/react-router"
import { useText } from "../text/catalogue.ts"
import { shellText } from "../text/shell.ts"
import { BottomBar } from "./bottom-bar.tsx"
import { Rail } from "./rail.tsx"
import styles from "./shell.module.css"

export const Shell = () => {
  const t = useText(shellText)
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">{t.skip}</a>
      <Rail />
      <div className={styles.screen}>
        <Outlet />
      </div>
      <BottomBar />
    </div>
  )
}
