/** The person's button at the foot of the rail. */
import { Avatar } from "../components/avatar.tsx"
import { memberName } from "../patterns/member-name.ts"
import { shellText as t } from "../text/shell.ts"
import { LazyMenu } from "./lazy-menu.tsx"
import styles from "./person-menu.module.css"
import { useMe } from "./session.ts"

const load = () => import("./person-choice.tsx")

export const PersonMenu = () => {
  const { user } = useMe()
  const name = memberName(user)
  return (
    <LazyMenu
      load={load}
      trigger={
        <button type="button" className={styles.person}>
          <Avatar kind="person" name={name} size={24} />
          <span className="truncate">{name}</span>
          <span className="sr-only">{t.person}</span>
        </button>
      }
    />
  )
}
