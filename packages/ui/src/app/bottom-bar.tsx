/** Replaces the rail on a phone: Inbox, Requests, Money, More. */
import { Link, useMatchRoute } from "@tanstack/react-router"
import { Menu as MenuIcon } from "lucide-react"
import { alertText as alerts } from "../text/alerts.ts"
import { shellText as t } from "../text/shell.ts"
import styles from "./bottom-bar.module.css"
import { useUnseenAlerts } from "./budget-alerts.ts"
import { openOverlay } from "./overlay.ts"
import { PendingCount } from "./pending-count.tsx"
import { type PlaceName, placeRoute, usePlaces } from "./places.ts"
import { useWorkspaceId } from "./session.ts"

const shown: ReadonlyArray<PlaceName> = ["inbox", "requests", "money"]

export const BottomBar = () => {
  const workspace = useWorkspaceId()
  const isAt = useMatchRoute()
  const unseen = useUnseenAlerts().length
  return (
    <nav className={styles.bar} aria-label={t.navigation}>
      {usePlaces().filter(({ name }) => shown.includes(name)).map((place) => (
        <Link
          key={place.name}
          className={styles.item}
          to={placeRoute(place)}
          params={{ workspace }}
          aria-current={isAt({ to: placeRoute(place), fuzzy: true }) !== false
            ? "page"
            : undefined}
        >
          <place.Icon aria-hidden size={20} />
          <span>{t.places[place.name]}</span>
          {place.name === "inbox" && <PendingCount className={styles.count} />}
        </Link>
      ))}
      <button type="button" className={styles.item} onClick={() => openOverlay("palette")}>
        <MenuIcon aria-hidden size={20} />
        <span>{t.more}</span>
        {unseen > 0 && <span className={styles.dot} role="img" aria-label={alerts.unseen(unseen)} />}
      </button>
    </nav>
  )
}
