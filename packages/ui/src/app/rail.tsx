/** The rail: workspace, places, and at its foot connection, freeze, person. 216 px, or 56 px collapsed. */
import { Link, useMatchRoute } from "@tanstack/react-router"
import { Tooltip } from "../components/tooltip.tsx"
import { useText } from "../text/catalogue.ts"
import { shellText } from "../text/shell.ts"
import { keyCaps, boundKeys, useKeySettings } from "./keymap.ts"
import { type Place, placeHref, usePlaces } from "./places.ts"
import { isApple } from "./platform-keys.ts"
import styles from "./rail.module.css"
import { useWorkspaceId } from "./session.ts"

export const Rail = () => {
  const t = useText(shellText)
  return (
    <nav className={styles.rail} aria-label={t.navigation}>
      <ul className={styles.places}>
        {usePlaces().filter(({ rail }) => rail).map((place) => <RailPlace key={place.name} place={place} />)}
      </ul>
    </nav>
  )
}

const RailPlace = ({ place }: { readonly place: Place }) => {
  const t = useText(shellText)
  const workspace = useWorkspaceId()
  const settings = useKeySettings()
  const here = useMatchRoute()({ to: `/w/$workspace/${place.path}` as never, fuzzy: true }) !== false
  const { Icon } = place
  return (
    <li>
      <Tooltip text={t.places[place.name]} keys={place.key === undefined ? undefined : keyCaps(boundKeys(place.key, settings), isApple)} side="right">
        <Link className={styles.place} to={placeHref(workspace, place) as never} aria-current={here ? "page" : undefined}>
          <Icon aria-hidden size={16} />
          <span className={styles.placeName}>{t.places[place.name]}</span>
        </Link>
      </Tooltip>
    </li>
  )
}
