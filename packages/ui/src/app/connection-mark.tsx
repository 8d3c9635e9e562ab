/** The state of the connection to the hub, in one word, at the foot of the rail. */
import { Tooltip } from "../components/tooltip.tsx"
import { useConnection } from "../live/connection.ts"
import { shellText as t } from "../text/shell.ts"
import styles from "./connection-mark.module.css"

export const ConnectionMark = () => {
  const { phase } = useConnection()
  return (
    <Tooltip text={t.connectionHint[phase]} side="right">
      <span className={styles.mark} data-phase={phase} tabIndex={0} role="status">
        <i aria-hidden />
        <span>{t.connection[phase]}</span>
      </span>
    </Tooltip>
  )
}
